#!/usr/bin/env bash
# Measures each row of the performance article's table, and writes the table and a plot.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

usage() {
  cat <<'TEXT'
Usage: deploy/bench.sh [--rounds N] [--seconds S] [--only ROWS]

Builds for release, then measures: the relay beside a relay of raw bytes (Tests/ByteRelay: what the machine can do at
best) under the same load (Tests/RelayDriver) in turns, a host on the public library, and evaluates in Chromium beside the
browser's own DevTools socket. Each figure is the median of the rounds, each ratio that of the medians.

  --rounds N        rounds of each measurement (default: 5)
  --seconds S       how long each one lasts (default: 1.5)
  --only ROWS       a part, with commas: round-trips, flood, stream, memory, threads, active, calls, instructions, host,
                    chromium, growth; other rows keep what was measured before
  --help            show this help and exit

Writes .build/reports/bench.json and .build/reports/bench.html, and prints the table with the goals. Rows whose tool is
missing (strace, valgrind, chromium) are left out. Everything stays on loopback and ends by itself: with the defaults
after some ten minutes. Other work on the machine makes the figures worthless.
TEXT
}

rounds=5
seconds=1.5
only=()
while (($# > 0)); do
  case $1 in
    --rounds) rounds=${2:?--rounds needs a number}; shift ;;
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    --only) only=(--only "${2:?--only needs a list of rows}"); shift ;;
    --help) usage; exit 0 ;;
    *) fail "unknown option '$1' (--help lists the options)" ;;
  esac
  shift
done

require_swift
install_packages "${build_packages[@]}" python3
cd "$here/.."
say "Building for release"
for product in pagebridge ByteRelay RelayDriver EvaluateHost; do
  swift build --configuration release --product "$product" </dev/null
done
exec python3 Tests/Benchmarks/bench.py --bin "$(swift build --configuration release --show-bin-path)" \
  --rounds "$rounds" --seconds "$seconds" "${only[@]}" --out .build/reports
