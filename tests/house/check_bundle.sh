#!/bin/bash
# Checks that the libraries of bench/gpu/bundle run on Ubuntu 22.04, and that one that needs newer symbols would be found. LLVM is left
# out, since bundles are built without it.
# Usage: check_bundle.sh ROOT EXECUTABLE...
set -euo pipefail

# shellcheck source=bench/gpu/libraries.sh
source "$1/bench/gpu/libraries.sh"
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

copy_libraries "$folder" "$@"
rm -f "$folder"/libLLVM*
if ls "$folder" | grep -E '^lib(c|stdc\+\+)\.so'; then
  echo "these are the machine's own: they do not go into the bundle" >&2
  exit 1
fi
require_old_symbols "$@" "$folder"/*

is_newer GLIBC_2.36 GLIBC_2.35
is_newer GLIBCXX_3.4.31 GLIBCXX_3.4.30
for pair in "GLIBC_2.35 GLIBC_2.35" "GLIBC_2.4 GLIBC_2.35" "GLIBCXX_3.4.31 GLIBC_2.35"; do
  # shellcheck disable=SC2086
  if is_newer $pair; then
    echo "is_newer $pair" >&2
    exit 1
  fi
done
if (
  is_newer() { true; }
  require_old_symbols "$@" 2>/dev/null
); then
  echo "require_old_symbols takes symbols that are too new" >&2
  exit 1
fi
if require_old_symbols "$0" 2>/dev/null; then
  echo "require_old_symbols takes a file without symbols" >&2
  exit 1
fi
