#!/usr/bin/env bash
# Installs what the tests need, builds, runs them and ends with counts.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

usage() {
  cat <<'TEXT'
Usage: deploy/test.sh [--quick | --long]

  (none)    swift test, the documentation's check, the browser tests and the fault tests with a short
            storm: what continuous integration runs
  --quick   swift test only
  --long    everything: also swift test under the address and the thread sanitizer, each fuzz target for
            20 s, and 200 sessions opened and closed under the leak sanitizer
  --help    show this help and exit

The last line reads 'N passed, M failed'; the exit code is 0 if nothing failed, else 1.
Logs of the steps are in .test-output/.
TEXT
}

tier=default
for argument in "$@"; do
  case $argument in
    --quick | --long) tier=${argument#--} ;;
    --help) usage; exit 0 ;;
    *) fail "unknown option '$argument' (--help lists the options)" ;;
  esac
done

cd "$here/.."
logs=.test-output
mkdir -p "$logs"
passed=0
failed=0
failed_steps=()
started=$SECONDS

# Runs a command as a named step: shows and keeps its output, prints its time, returns its status.
step() {
  local name=$1 from=$SECONDS status=0
  shift
  say "== $name"
  "$@" </dev/null 2>&1 | tee "$logs/$name.log" || status=$?
  say "== $name: $((SECONDS - from)) s"
  ((status == 0)) || failed_steps+=("$name")
  return "$status"
}

# A step that is one check by itself.
check() {
  if step "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# Adds counts to the totals. A step that failed without a failed test (a crash, a broken build) counts as one failure.
add() {
  local status=$1 good=$2 bad=$3
  if ((status != 0 && bad == 0)); then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
}

# The sum of the first number that the expression finds in each line of a log.
sum() {
  sed -nE "s/$1/\\1/p" "$2" | awk '{ total += $1 } END { print total + 0 }'
}

# Counts both of Swift's test libraries: 'Test run with N tests' and XCTest's 'Executed N tests' (its totals come last).
count_swift() {
  local log=$1 status=$2 all bad xctest xctest_bad
  all=$(sum '^.{0,4}Test run with ([0-9]+) tests? .*' "$log")
  # One line a test; those of the run itself and of single arguments of a test are not tests.
  bad=$(grep -E '^.{0,4}Test .* failed after' "$log" | grep -cvE '^.{0,4}Test (run with|case passing) ' || true)
  xctest=$(sed -nE 's/.*Executed ([0-9]+) tests?,.*/\1/p' "$log" | tail -n 1)
  xctest_bad=$(sed -nE 's/.*Executed [0-9]+ tests?, with ([0-9]+) failures?.*/\1/p' "$log" | tail -n 1)
  all=$((all + ${xctest:-0}))
  bad=$((bad + ${xctest_bad:-0}))
  add "$status" "$((all > bad ? all - bad : 0))" "$bad"
}

# Counts pytest's last line, for example '2 failed, 118 passed, 1 error in 93.10s'.
count_pytest() {
  local log=$1 status=$2 last
  last=$(grep -E '(passed|failed|error|no tests ran).* in [0-9.]+' "$log" | tail -n 1 || true)
  number() { sed -nE "s/.*[^0-9]?\\b([0-9]+) $1.*/\\1/p" <<<"$last"; }
  local good bad errors
  good=$(number passed)
  bad=$(number failed)
  errors=$(number 'errors?')
  add "$status" "${good:-0}" "$((${bad:-0} + ${errors:-0}))"
}

# Counts only what passed in a run whose failures are run again.
count_pytest_good() {
  local good
  good=$(grep -E '(passed|failed|error).* in [0-9.]+' "$1" | tail -n 1 | sed -nE 's/.*[^0-9]?\b([0-9]+) passed.*/\1/p' || true)
  add 0 "${good:-0}" 0
}

# Builds the tests and runs them: a name for logs, then options for both.
swift_tests() {
  local name=$1 status=0
  shift
  if ! step "$name-build" swift build --build-tests "$@"; then
    add 1 0 0
    return 1
  fi
  step "$name" swift test --skip-build "$@" || status=$?
  count_swift "$logs/$name.log" "$status"
  return 0
}

browser_tests() {
  local folder name status options
  # The tests start the very executables that were built above.
  if ! step browser-setup prepare_python || ! PAGEBRIDGE_BIN_DIR=$(swift build --show-bin-path); then
    add 1 0 0
    return 0
  fi
  export PAGEBRIDGE_BIN_DIR
  for folder in "${browser_folders[@]}"; do
    name=$(basename "$folder")
    status=0
    options=()
    # The cases of web-view behaviour run in three engines; their table goes to .build/reports/webkit-cases.json.
    [ "$name" != BrowserTests ] || options=(--engines "chromium,firefox,webkitgtk")
    if step "$name" .venv/bin/python -m pytest "$folder" "${options[@]}"; then
      count_pytest "$logs/$name.log" 0
      continue
    fi
    # A browser on a busy machine may take longer than a test waits: what failed is run once more, and counts by that.
    unset 'failed_steps[-1]'
    step "$name-again" .venv/bin/python -m pytest "$folder" "${options[@]}" --last-failed --last-failed-no-failures none || status=$?
    count_pytest_good "$logs/$name.log"
    count_pytest "$logs/$name-again.log" "$status"
  done
}

require_swift
packages=("${build_packages[@]}")
[ "$tier" = quick ] || packages+=("${browser_packages[@]}")
install_packages "${packages[@]}"

check format swift format lint --strict --recursive Sources Tests Package.swift
if swift_tests swift && [ "$tier" != quick ]; then
  check docs deploy/docs.sh --skip-build
  browser_tests
  if [ "$tier" = long ]; then
    # Leaks are looked for in a program that ends by itself; what tests leave to the process's end is no leak.
    export ASAN_OPTIONS=detect_leaks=0
    # Sanitizers take ten times as long; what schedules find they find without them.
    export PAGEBRIDGE_SEEDS=200
    for sanitizer in address thread; do
      swift_tests "sanitize-$sanitizer" --sanitize="$sanitizer" --scratch-path ".build/sanitize-$sanitizer" || true
    done
    check fuzz deploy/fuzz.sh 20
    check leaks env ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=deploy/leaks.supp \
      .build/sanitize-address/debug/pagebridge load --pages 200 --seconds 2
  fi
fi

say "== tier $tier: $((SECONDS - started)) s"
((${#failed_steps[@]} == 0)) || say "Failed steps: ${failed_steps[*]} (see $logs/)"
say "$passed passed, $failed failed"
((failed == 0))
