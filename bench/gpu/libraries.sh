# Sourced by bench/gpu/bundle: copies the libraries that a bundle needs and checks which symbols they require.
# shellcheck shell=bash

# copy_libraries FOLDER EXECUTABLE...: copies the libraries that they are linked with, except the C library, which must match the
# dynamic linker of the machine, and the C++ library (Debian 12's requires glibc 2.36).
copy_libraries() {
  local folder=$1
  shift
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*|libstdc\+\+|libgcc_s)\.so' | xargs -I{} cp -L {} "$folder/"
}

# require_old_symbols FILE...: fails if one requires newer symbols than Ubuntu 22.04 has, and prints them.
require_old_symbols() {
  local file symbols version failed=0
  for file in "$@"; do
    symbols=$(objdump -T "$file") || return 1
    for version in $(grep -oE '(GLIBC|GLIBCXX|CXXABI)_[0-9.]+' <<<"$symbols" | sort -u); do
      is_newer "$version" GLIBC_2.35 || is_newer "$version" GLIBCXX_3.4.30 || is_newer "$version" CXXABI_1.3.13 || continue
      echo "$file needs $version, which Ubuntu 22.04 does not have: link it with less, or leave it out of the bundle" >&2
      failed=1
    done
  done
  return $failed
}

# is_newer VERSION LIMIT: succeeds if both are of one kind, such as GLIBC_2.36, and VERSION is later.
is_newer() {
  [[ ${1%%_*} == "${2%%_*}" && $1 != "$2" && $(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -n 1) == "$1" ]]
}
