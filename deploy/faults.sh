#!/usr/bin/env bash
# Runs the storm: simulated and real pages and hosts while sockets, processes and the relay break.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

usage() {
  cat <<'TEXT'
Usage: deploy/faults.sh [MINUTES] [SEED]
Runs the storm for MINUTES (default: 10) with the dice of SEED (default: 1): 200 simulated pages, tabs of a real browser
and their host post and evaluate numbered messages, while a proxy resets, closes, stalls, trickles and swallows
connections at random bytes, tabs reload, processes stand still, the relay is killed three times and the host twice.

Its end tells the figures as JSON, with the memory of relay, host and pages before, at its peak and after; the exit code is 0 if
nothing was lost, doubled or reordered and their memory came back. Logs of the processes are in .test-output/logs.
TEXT
}

numbers=()
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    *[!0-9.]* | '') fail "'$argument' is no number (--help tells the options)" ;;
    *) numbers+=("$argument") ;;
  esac
done
((${#numbers[@]} <= 2)) || fail "too many numbers (--help tells the options)"

cd "$here/.."
require_swift
install_packages "${build_packages[@]}" "${browser_packages[@]}"
swift build --product pagebridge
swift build --product ProbeHost
prepare_python
PAGEBRIDGE_BIN_DIR=$(swift build --show-bin-path)
export PAGEBRIDGE_BIN_DIR PYTHONPATH=Tests/FaultTests:Tests/BrowserTests
exec .venv/bin/python -m kit.storm "${numbers[0]:-10}" "${numbers[1]:-1}"
