#!/bin/bash
# examples/mnist/judge: names each bar that is missed, and exits with 1 then.
# Usage: judge_test.sh JUDGE
set -euo pipefail

judge=$1 folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "judge_test: $*" >&2
  exit 1
}
# epoch NUMBER ACCURACY SECONDS: prints a line as the trainings do.
epoch() { printf 'epoch %2d  loss 0.4321  test accuracy %s%%  %s s\n' "$@"; }
# expect_code CODE: judges the files, and keeps what is printed.
expect_code() {
  local code=0
  "$judge" tuned numpy plain >out 2>err || code=$?
  ((code == $1)) || fail "the exit code is $code instead of $1: $(cat out err)"
}
# expect_missed SENTENCE
expect_missed() {
  expect_code 1
  [[ $(cat err) == "judge: $1" ]] || fail "instead of '$1' it says '$(cat err)'"
}

{ epoch 1 80.00 1.500 && epoch 9 85.00 0.100 && epoch 10 84.90 0.120; } >tuned
{ epoch 1 85.00 0.110 && epoch 2 85.00 0.100; } >numpy
{ epoch 1 85.00 3.700 && epoch 2 85.00 4.000; } >plain
expect_code 0
[[ ! -s err ]] || fail "no bar is missed, and it says '$(cat err)'"
grep -q '^accuracy  *85.00%$' out || fail "the highest accuracy is not that of epoch 9: $(cat out)"
grep -q '^unscheduled loops  *3.700 s, 37.0 times as long$' out || fail "the fastest epochs are not compared: $(cat out)"

epoch 1 85.00 0.090 >numpy
expect_missed "numpy takes 0.90 times as long as tuned kernels, less than 1"
epoch 1 85.00 0.200 >numpy
epoch 1 85.00 3.500 >plain
expect_missed "unscheduled loops take 35.0 times as long as tuned kernels, less than 37"
epoch 1 85.00 10.000 >plain
{ epoch 10 84.99 0.100 && epoch 11 90.00 0.100; } >tuned
expect_missed "the test accuracy within 10 epochs is 84.99%, less than 85%"

epoch 1 85.00 0.010 >numpy
expect_code 1
(($(wc -l <err) == 2)) || fail "of two missed bars it says '$(cat err)'"
: >plain
expect_missed "plain has no time of an epoch"

code=0
"$judge" tuned numpy >/dev/null 2>err || code=$?
[[ $code == 2 && $(cat err) == "judge needs three files"* ]] || fail "two files are judged: $code, $(cat err)"
