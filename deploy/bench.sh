#!/usr/bin/env bash
# Measures the relay beside a relay of raw bytes, in turns, and writes a table and a plot.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

usage() {
  cat <<'TEXT'
Usage: deploy/bench.sh [--rounds N] [--seconds S] [--sessions LIST]

Builds for release, then puts the same load in turns on PageBridge's relay and on a relay of raw bytes (Tests/ByteRelay):
what the machine can do at best. Each figure is the median of the rounds, each ratio that of the medians.

  --rounds N        rounds of each measurement (default: 5)
  --seconds S       how long each one lasts (default: 3)
  --sessions LIST   numbers of sessions, with commas (default: 1,100,1000,5000)
  --help            show this help and exit

Writes .build/reports/bench.json and .build/reports/bench.html, and prints the table. Everything stays on loopback and ends by
itself: with the defaults after some four minutes.
TEXT
}

rounds=5
seconds=3
sessions=1,100,1000,5000
while (($# > 0)); do
  case $1 in
    --rounds) rounds=${2:?--rounds needs a number}; shift ;;
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    --sessions) sessions=${2:?--sessions needs a list}; shift ;;
    --help) usage; exit 0 ;;
    *) fail "unknown option '$1' (--help lists the options)" ;;
  esac
  shift
done

require_swift
install_packages "${build_packages[@]}" python3
cd "$here/.."
say "Building for release"
for product in pagebridge ByteRelay; do
  swift build --configuration release --product "$product" </dev/null
done
exec python3 Tests/Benchmarks/bench.py --bin "$(swift build --configuration release --show-bin-path)" \
  --rounds "$rounds" --seconds "$seconds" --sessions "$sessions" --out .build/reports
