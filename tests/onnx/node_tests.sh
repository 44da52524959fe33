#!/bin/bash
# Runs ONNX's node tests, which are in the wheel of Python's onnx package: a quarter of the cases, which NESTWRIGHT_SLICE, a number,
# chooses, or all of them under ./check --full (NESTWRIGHT_CHECK_FULL=1).
#
#   node_tests.sh PROGRAM SOURCE
set -euo pipefail

program=$1 source=$2
folder=$source/build/onnx-node-tests
if [[ ! -d $folder ]]; then
  part=$(mktemp -d "$folder.XXXXXX")
  trap 'rm -rf "$part"' EXIT
  # Later versions generate the data, which takes numpy and minutes.
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$part" onnx==1.22.0
  python3 -m zipfile -e "$part"/onnx-*.whl "$part"
  mv "$part/onnx/backend/test/data/node" "$folder" # the name is given only to a complete download
fi
slice=${NESTWRIGHT_SLICE:-0}
slices=4
[[ ${NESTWRIGHT_CHECK_FULL:-0} == 1 ]] && slices=1
exec "$program" "$folder" --expected "$source/tests/onnx/node_tests.txt" --slice $((slice % slices))/$slices
