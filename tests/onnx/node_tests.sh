#!/bin/bash
# Runs ONNX's node tests, which are in the wheel of Python's onnx package: a quarter of the cases, which NESTWRIGHT_SLICE, a number,
# chooses. Under ./check --full (NESTWRIGHT_CHECK_FULL=1) all of them, and those of an old version, whose opsets are 7 to 11.
#
#   node_tests.sh PROGRAM SOURCE
set -euo pipefail

program=$1 source=$2

# Prints the folder of a version's node tests, which are downloaded once. The other arguments are pip's.
provide() {
  local version=$1 folder=$source/build/onnx-node-tests-$1 part
  if [[ ! -d $folder ]]; then
    part=$(mktemp -d "$folder.XXXXXX")
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$part" "${@:2}" "onnx==$version" >&2
    python3 -m zipfile -e "$part"/onnx-*.whl "$part"
    mv -T "$part/onnx/backend/test/data/node" "$folder" # the name is given only to a complete download
    rm -rf "$part"
  fi
  echo "$folder"
}

# Later versions generate the data instead, with numpy, in minutes.
newest=$(provide 1.22.0)
expected=$source/tests/onnx/node_tests.txt
if [[ ${NESTWRIGHT_CHECK_FULL:-0} == 1 ]]; then
  oldest=$(provide 1.5.0 --python-version 3.7 --platform manylinux1_x86_64)
  "$program" "$newest" --expected "$expected"
  "$program" "$oldest" --expected "$expected"
else
  "$program" "$newest" --expected "$expected" --slice $((${NESTWRIGHT_SLICE:-0} % 4))/4
fi
