#!/usr/bin/env bash
# Runs every command of docs/get-started.md as a newcomer would: in order, in one shell, with an empty home folder.
# It prints each command, what came of it, and the wall time.
# Usage: tools/walkthrough.sh [PULUMI]
# PULUMI is a program to use; without it the clone (of this repository) and the build are part of the walk.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
document=$repository/docs/get-started.md
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

build=yes
if [ $# -gt 0 ]; then
  build=
  PATH=$(cd "$(dirname "$1")" && pwd):$PATH
else
  # Only what was downloaded and compiled before is shared with the user's own home.
  GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$(go env GOCACHE)
  export GOMODCACHE GOCACHE
  # The published address of this repository is this repository.
  export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=url.file://$repository.insteadOf \
    GIT_CONFIG_VALUE_0=https://github.com/cairn-iac/cairn GIT_CONFIG_KEY_1=safe.directory GIT_CONFIG_VALUE_1='*'
fi
for name in $(compgen -e PULUMI_ || true); do unset "$name"; done
export HOME=$place/home
mkdir "$HOME" "$place/work"

# The commands are the blocks marked sh. Each is announced by its line in the document, and shown before it runs.
{
  echo 'show() { printf "\n# docs/get-started.md:%s\n" "$1"; sed "s/^/$ /"; }'
  awk -v build=$build '
    /^```/ && keep { print "END_OF_BLOCK"; printf "%s", text; text = "" }
    /^```/ {
      inside = !inside
      keep = inside && $1 == "```sh" && ($2 == "" || ($2 == "build" && build != ""))
      if (keep) print "show " NR " <<\"END_OF_BLOCK\""
      next
    }
    keep { print; text = text $0 "\n" }' "$document"
} >"$place/commands"

began=$(date +%s%N)
cd "$place/work"
bash -euo pipefail "$place/commands" 2>&1
printf '\nThe whole way took %s s.\n' "$(awk -v ns=$(($(date +%s%N) - began)) 'BEGIN { printf "%.1f", ns / 1e9 }')"
