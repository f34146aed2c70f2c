#!/usr/bin/env bash
# Prints the table of 100, 1,000 and 10,000 resources and checks the rules about cost.
#
#   PULUMI_BIN       the program (required)
#   PULUMI_UPSTREAM  a folder with the Pulumi CLI and its language hosts, to compare with
#   BENCH_SIZES      "100 1000 10000"
#   BENCH_RUNS       runs at 100, at 1,000 and above: "5 3 1"; the table shows medians
#   BENCH_PEER_MAX   the largest size for others, who may take very long: 1000
#   BENCH_GO         set it to run the Go benchmarks of journal and state files too
#
# Terraform is compared when it is on PATH, with terraform_data resources, which need no provider.
set -euo pipefail
: "${PULUMI_BIN:?set PULUMI_BIN to the program to measure}"
PULUMI_BIN=$(realpath "$PULUMI_BIN")
export PULUMI_BIN
cd "$(dirname "$0")/.."

if [ -n "${BENCH_GO:-}" ]; then
  go test ./bench -run '^$' -bench . -benchmem
fi
mkdir -p bench/out
CGO_ENABLED=0 go build -o bench/out/bench ./bench
exec bench/out/bench
