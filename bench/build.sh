# Sourced by the scripts of bench/: installs missing packages and builds into build/bench.
# shellcheck shell=bash

# shellcheck source=cmake/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

# show_help SCRIPT PROGRAM WORD...: if --help is among the words, prints the head of the script and the options of its program, if
# there is one and it is built, and exits. Installs and builds nothing.
show_help() {
  local script=$1 program=$2 word
  shift 2
  for word; do
    [[ $word == -h || $word == --help ]] || continue
    print_head "$script"
    if [[ -n $program && -x $program ]]; then
      echo
      "$program" "$@"
    elif [[ -n $program ]]; then
      echo "Its options are shown once it is built, which any other call does."
    fi
    exit 0
  done
}

# build_bench ROOT TARGET...: builds the targets. All output goes to standard error; standard output is the benchmark's.
build_bench() {
  local root=$1
  shift
  {
    install_missing "$root" build bench
    cmake -S "$root" -B "$root/build/bench" -G Ninja -DCMAKE_BUILD_TYPE=Release -DNESTWRIGHT_BUILD_TESTS=OFF \
      -DNESTWRIGHT_BUILD_BENCH=ON -DNESTWRIGHT_BATCHES=2500 >/dev/null
    cmake --build "$root/build/bench" --target "$@" nestwright nestwright-worker
  } >&2
}
