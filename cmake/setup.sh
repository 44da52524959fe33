# Sourced by ./quickstart, ./check, examples/mnist/run and the scripts of bench/: installs the Debian packages that are missing.
# shellcheck shell=bash

# heading TEXT: prints the heading of a step.
heading() { printf '\n==> %s\n' "$*"; }

# print_head SCRIPT: prints the comment at the beginning of a script, which is its help.
print_head() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$1"; }

# install_missing ROOT GROUP...: installs the packages of these groups in packages.txt that are missing, and says which and why. If
# none is missing, it needs neither root nor a network.
install_missing() {
  local root=$1 package group reason state
  shift
  local -a missing=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "This script installs packages of Debian 12 and found no apt-get: install what cmake/packages.txt lists, then use cmake" \
      "directly (cmake --preset release && cmake --build --preset release)." >&2
    return 1
  fi
  while read -r package group reason; do
    [[ -z $package || $package == \#* || " $* " != *" $group "* ]] && continue
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $state == installed ]] && continue
    ((${#missing[@]})) || heading "Missing from this machine, to be installed from Debian's packages:"
    printf '  %-24s %s\n' "$package" "$reason"
    missing+=("$package")
  done <"$root/cmake/packages.txt"
  ((${#missing[@]})) || return 0

  local -a as_root=()
  if [[ $(id -u) != 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo "Installing needs root or sudo, and neither is at hand: ask an administrator for 'apt-get install ${missing[*]}'," \
        "then run this again." >&2
      return 1
    fi
    as_root=(sudo)
  fi
  # Older shells treat an empty array as unbound under set -u.
  local -a apt=(${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -qq -y
    -o DPkg::Lock::Timeout=180 -o Dpkg::Use-Pty=0)
  if ! "${apt[@]}" update; then
    echo "The list of packages could not be brought up to date (apt-get update); trying with the list that is there." >&2
  fi
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}"; then
    echo "apt-get could not install the packages above: see its message, put that right, then run this again." >&2
    return 1
  fi
}
