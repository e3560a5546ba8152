# Shared by the scripts of this folder: sourced, not run.
# shellcheck shell=bash

# Prints one line to stderr and ends the script.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

say() {
  printf '%s\n' "$*"
}

# Ends the script with an instruction unless a Swift toolchain that can build this package is there.
require_swift() {
  local required_major=6 required_minor=2 line version major minor
  if ! command -v swift >/dev/null 2>&1; then
    fail "the Swift toolchain is missing. Install Swift ${required_major}.${required_minor} or later (see swift.org/install/linux; swiftly is the short way), make sure that 'swift --version' works, and run this again."
  fi
  line=$(swift --version 2>/dev/null | head -n 1)
  version=$(sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' <<<"$line")
  [ -n "$version" ] || fail "'swift --version' does not work: ${line:-no output}"
  major=${version%%.*}
  minor=${version#*.}
  if ((major < required_major || (major == required_major && minor < required_minor))); then
    fail "Swift ${required_major}.${required_minor} or later is needed, this is ${version} (see swift.org/install/linux)."
  fi
}

is_installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs those of the named Debian packages that are missing, as root or through sudo, and asks nothing.
install_packages() {
  local package missing=() as_root=()
  if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    say "This is no Debian system, so nothing is installed. What has to be there: $*"
    return 0
  fi
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0

  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || fail "these packages are missing: ${missing[*]}. Install them as root, or install sudo."
    # Without a terminal nobody could type a password, so sudo must not wait for one.
    if [ -t 0 ]; then as_root=(sudo); else as_root=(sudo --non-interactive); fi
  fi
  say "Installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get --quiet --quiet -o DPkg::Lock::Timeout=120 update </dev/null ||
    say "apt-get update failed; trying with the package lists that are here"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get --quiet --quiet --yes --no-install-recommends -o DPkg::Lock::Timeout=120 \
    install "${missing[@]}" </dev/null ||
    fail "apt-get could not install ${missing[*]}"
}

# What building the package needs.
# shellcheck disable=SC2034 # used by the scripts that source this file
build_packages=(libwebsockets-dev libwebsockets-evlib-uv libuv1-dev libssl-dev pkg-config)
# What the tests in browsers need beside that.
# shellcheck disable=SC2034
browser_packages=(chromium chromium-driver firefox-esr openssl python3 python3-venv webkit2gtk-driver xvfb)

# Folders of tests that pytest runs in a browser; each pins its Python packages.
browser_folders=(Tests/BridgeScriptTests Tests/BrowserTests Tests/FaultTests)

# In the repository's folder: a Python environment with the pinned packages, installed anew only when the pins change.
prepare_python() {
  local folder pins options=()
  for folder in "${browser_folders[@]}"; do options+=(--requirement "$folder/requirements.txt"); done
  pins=$(cat "${browser_folders[@]/%//requirements.txt}") || return 1
  if [ "$pins" = "$(cat .venv/installed-requirements.txt 2>/dev/null)" ]; then return 0; fi
  [ -x .venv/bin/python ] || python3 -m venv .venv || return 1
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "${options[@]}" || return 1
  printf '%s\n' "$pins" >.venv/installed-requirements.txt
}
