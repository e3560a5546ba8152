#!/usr/bin/env bash
# Checks that each public symbol has a comment and that what the articles say exists, and builds the documentation.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

usage() {
  cat <<'TEXT'
Usage: deploy/docs.sh [--skip-build]

Builds, takes the public symbols of each target in Sources from what was built, and fails if one has no comment
('file:line symbol: no comment'), if "What differs from WebKit" calls something not here that is, if the README's
host does not compile or a file that it links to is not there, or if DocC warns: a link that leads nowhere, a parameter that
does not exist or is left out.

  --skip-build   take the modules that the last build left
  --help         show this help and exit

The documentation of all targets is then in .build/docs/PageBridge.doccarchive, a folder that any web server can serve:

  python3 -m http.server --bind 127.0.0.1 --directory .build/docs/PageBridge.doccarchive 8000

and http://127.0.0.1:8000/documentation shows it.
TEXT
}

build=true
for argument in "$@"; do
  case $argument in
    --skip-build) build=false ;;
    --help) usage; exit 0 ;;
    *) fail "unknown option '$argument' (--help lists the options)" ;;
  esac
done

cd "$here/.."
require_swift
command -v docc >/dev/null 2>&1 || fail "docc is missing. It is part of the Swift toolchain: put the toolchain's usr/bin into PATH."
if $build; then
  install_packages "${build_packages[@]}" python3
  swift build
fi

built=$(swift build --show-bin-path)
modules=$built/Modules
triple=$(swiftc -print-target-info | sed -nE 's/^ *"unversionedTriple": "(.*)",?$/\1/p' | head -n 1)
output=.build/docs
rm -rf "$output"
mkdir -p "$output"

# C libraries have module maps instead of built modules; those of targets with C sources are written by the build.
imports=(-target "$triple" -I "$modules")
for map in Sources/*/module.modulemap "$built"/*.build/module.modulemap; do imports+=(-I "$(dirname "$map")"); done

targets=()
for folder in Sources/*/; do
  target=$(basename "$folder")
  [ -n "$(find "$folder" -name '*.swift' -print -quit)" ] || continue
  [ -e "$modules/$target.swiftmodule" ] || fail "$target is not built: leave --skip-build out"
  targets+=("$target")
  mkdir -p "$output/graphs/$target"
  swift symbolgraph-extract -module-name "$target" "${imports[@]}" -minimum-access-level public \
    -skip-synthesized-members -output-dir "$output/graphs/$target"
done

failed=0
python3 deploy/docs.py "$output/graphs" || failed=1

# The host that the README shows is a whole program.
mkdir "$output/readme"
# shellcheck disable=SC2016 # the backquotes are Markdown's
sed -n '/^```swift$/,/^```$/p' README.md | sed '/^```/d' >"$output/readme/main.swift"
grep -q '^import PageBridgeWebKit$' "$output/readme/main.swift" || { say "README.md shows no host"; failed=1; }
swiftc -typecheck -swift-version 6 "${imports[@]}" "$output/readme/main.swift" || failed=1

archives=()
for target in "${targets[@]}"; do
  # A command without public symbols has nothing to show.
  grep -q '"pathComponents"' "$output/graphs/$target"/*.json || continue
  catalog=()
  [ ! -d "Sources/$target/$target.docc" ] || catalog=("Sources/$target/$target.docc")
  docc convert "${catalog[@]}" --additional-symbol-graph-dir "$output/graphs/$target" \
    --fallback-display-name "$target" --fallback-bundle-identifier "$target" --ide-console-output --warnings-as-errors \
    --output-dir "$output/$target.doccarchive" 2>&1 | sed -e '/: fixit: /d' -e '/^\/\/\//d' -e "s|^$PWD/||" || failed=1
  archives+=("$output/$target.doccarchive")
done
((failed == 0)) || fail "the documentation has the faults above"

docc merge "${archives[@]}" --output-path "$output/PageBridge.doccarchive" --synthesized-landing-page-name PageBridge
rm -r "${archives[@]}"
say "The documentation is in $output/PageBridge.doccarchive (--help says how to look at it)"
