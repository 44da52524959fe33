# Sourced by the scripts of bench/: installs what is missing and builds into build/bench.
# shellcheck shell=bash

# build_bench ROOT TARGET...: everything said goes to standard error, for standard output is the benchmark's.
build_bench() {
  local root=$1
  shift
  # shellcheck source=cmake/setup.sh
  source "$root/cmake/setup.sh"
  {
    install_missing "$root" build bench
    cmake -S "$root" -B "$root/build/bench" -G Ninja -DCMAKE_BUILD_TYPE=Release -DNESTWRIGHT_BUILD_TESTS=OFF \
      -DNESTWRIGHT_BUILD_BENCH=ON >/dev/null
    cmake --build "$root/build/bench" --target "$@" nestwright nestwright-worker
  } >&2
}
