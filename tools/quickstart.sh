#!/usr/bin/env bash
# Deploys the example in a backend and a home of its own, so that nothing outside its folder is touched.
# Usage: tools/quickstart.sh PULUMI EXAMPLE
set -euo pipefail
pulumi=$1
example=$2

export PULUMI_BACKEND_URL="file://$example/.state"
export PULUMI_HOME="$example/.home"
# Good enough for a stack that lives in one folder for a demonstration. One of your own is used and not printed.
passphrase_hint=''
if [ -z "${PULUMI_CONFIG_PASSPHRASE+set}" ]; then
  export PULUMI_CONFIG_PASSPHRASE=quickstart
  passphrase_hint=' PULUMI_CONFIG_PASSPHRASE=quickstart'
fi
unset PULUMI_ACCESS_TOKEN PULUMI_STACK

mkdir -p "$example/.state" "$example/.home"
cd "$example"
"$pulumi" stack select --create dev
if ! "$pulumi" config get token --stack dev >/dev/null 2>&1; then
  "$pulumi" config set --stack dev --secret token "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
fi
"$pulumi" up --stack dev --yes

cat <<EOT

Look around, or take it down again:
  cd $example
  export PULUMI_BACKEND_URL='$PULUMI_BACKEND_URL' PULUMI_HOME='$PULUMI_HOME'$passphrase_hint
  $pulumi stack output --show-secrets
  $pulumi destroy --yes
EOT
