#!/usr/bin/env bash
# Where the time of one run goes: profiles `up` of SIZE resources (10,000) and prints the functions that cost most.
# Usage: PULUMI_BIN=bin/pulumi bench/profile.sh [SIZE] [up|noop|destroy]
set -euo pipefail
: "${PULUMI_BIN:?set PULUMI_BIN to the program to measure}"
PULUMI_BIN=$(realpath "$PULUMI_BIN")
size=${1:-10000}
phase=${2:-up}
cd "$(dirname "$0")/.."
mkdir -p bench/out
out=$(realpath bench/out)/profile-$phase-$size
CGO_ENABLED=0 go build -o bench/out/bench ./bench
rm -f "$out".*
PULUMI_BIN=$PULUMI_BIN bench/out/bench -profile "$out" -phase "$phase" -size "$size"
found=0
for profile in "$out".*; do
  [ -e "$profile" ] || continue
  found=1
  echo "== $profile"
  go tool pprof -top -nodecount=25 "$PULUMI_BIN" "$profile" 2>/dev/null || echo "(no pprof profile)"
done
if [ "$found" = 0 ]; then
  echo "the program wrote no profile for --profiling $out" >&2
  exit 1
fi
for profile in "$out".*cpu*; do
  echo "== $profile, this project's functions with what they call"
  go tool pprof -top -cum -nodecount=60 -show 'cairn-iac|yaml\.v3|google.golang.org/grpc\.|gcBgMarkWorker$' \
    "$PULUMI_BIN" "$profile" 2>/dev/null
done
