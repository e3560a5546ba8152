#!/usr/bin/env bash
# Builds PageBridge and starts the demo: the relay and the demonstration hosts in one process.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

usage() {
  cat <<'TEXT'
Usage: deploy/run.sh [OPTION]...
Installs what is missing, builds the command for release and starts 'pagebridge demo'.

  --listen HOST:PORT  where to listen (default: $PAGEBRIDGE_LISTEN, else 127.0.0.1:8080)
  --help              show this help and exit

Every option but --help goes to 'pagebridge demo'; 'deploy/run.sh -- --help' lists them all.
Ctrl-C ends the demo.
TEXT
}

options=()
[ -z "${PAGEBRIDGE_LISTEN:-}" ] || options+=(--listen "$PAGEBRIDGE_LISTEN")
while (($# > 0)); do
  case $1 in
    --help) usage; exit 0 ;;
    --) shift; options+=("$@"); break ;;
    *) options+=("$1") ;;
  esac
  shift
done

require_swift
install_packages "${build_packages[@]}"

cd "$here/.."
say "Building pagebridge (the first time takes a few minutes)"
swift build --configuration release --product pagebridge </dev/null
command="$(swift build --configuration release --show-bin-path)/pagebridge"

# exec, so that Ctrl-C and a service manager's signals reach the command itself.
exec "$command" demo "${options[@]}"
