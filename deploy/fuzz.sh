#!/usr/bin/env bash
# Builds the fuzz targets with libFuzzer and the address sanitizer, and runs each for a time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

usage() {
  cat <<'TEXT'
Usage: deploy/fuzz.sh [SECONDS] [TARGET]...
Runs each fuzz target, or those that are named, for SECONDS (default: 60), one after another.

  --build  only build
  --list   name the targets
  --help   show this help and exit

It starts from the inputs in Tests/Fuzz/Corpus/TARGET; new ones go to .test-output/fuzz/TARGET/corpus, and an input that
breaks something to .test-output/fuzz/TARGET/. 'deploy/fuzz.sh 0 TARGET' only runs the inputs that are there.
TEXT
}

seconds=60
only=
targets=()
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --build | --list) only=${argument#--} ;;
    -*) fail "unknown option '$argument' (--help lists the options)" ;;
    *[!0-9]*) targets+=("$argument") ;;
    *) seconds=$argument ;;
  esac
done

cd "$here/.."
require_swift
install_packages "${build_packages[@]}"

# Optimised, because fuzzing lives by its speed, and with the tests' access to internal parts.
export PAGEBRIDGE_FUZZ=1
options=(
  --configuration release --scratch-path .build/fuzz --product Fuzz
  -Xswiftc -enable-testing -Xswiftc '-sanitize=fuzzer,address' -Xswiftc -use-ld=lld
)
swift build "${options[@]}"
fuzz=$(swift build "${options[@]}" --show-bin-path)/Fuzz
[ "$only" != build ] || exit 0
if [ "$only" = list ]; then exec "$fuzz" --list; fi
if ((${#targets[@]} == 0)); then mapfile -t targets < <("$fuzz" --list); fi

# What a program holds at its end is no leak. Looking up names takes minutes in so large a program: ask for it with
# ASAN_OPTIONS=symbolize=1 and the broken input.
export ASAN_OPTIONS=detect_leaks=0:symbolize=0${ASAN_OPTIONS:+:$ASAN_OPTIONS} SWIFT_BACKTRACE=enable=no

failed=()
for target in "${targets[@]}"; do
  output=.test-output/fuzz/$target
  mkdir -p "$output/corpus"
  say "== $target"
  limit=(-max_total_time="$seconds")
  if ((seconds == 0)); then limit=(-runs=0); fi
  "$fuzz" "$target" "${limit[@]}" -max_len=4096 -timeout=20 -rss_limit_mb=3000 -detect_leaks=0 \
    -artifact_prefix="$output/" -print_final_stats=1 "$output/corpus" "Tests/Fuzz/Corpus/$target" || failed+=("$target")
done
((${#failed[@]} == 0)) || fail "failed: ${failed[*]}"
