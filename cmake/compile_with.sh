#!/bin/bash
# compile_with.sh COMPILER OTHER ARGUMENTS...: runs COMPILER with the arguments that CMake made for the compiler OTHER. A launcher for
# CMake (CXX_COMPILER_LAUNCHER), for targets that another compiler than that of the project is to compile.
set -euo pipefail

compiler=$1
shift 2
previous=
for argument; do
  # clang would read a precompiled header, be it out of date, while it makes it anew.
  if [[ $previous == -o ]]; then rm -f "$argument"; fi
  previous=$argument
done
exec "$compiler" "$@"
