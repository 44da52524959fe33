#!/bin/bash
# bench/gpu/run on OpenCL: killed while it checks results it owes only the rest of the trials; out of time it says so; a workload that
# fails is told in the report, and neither the others nor the next call meet it again.
# Usage: gpu_run.sh ROOT BUILD
set -euo pipefail

root=$1 build=$2 folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$build"/{nestwright,nestwright-worker,bench_gpu} "$folder/"
cp "$root/bench/gpu/run" "$root"/bench/suites/gpu_*.json "$folder/"
echo made-up >"$folder/commit"
echo '{"summary": "two", "entries": [{"workload": "matmul m=16 n=16 k=8"}, {"workload": "softmax rows=8 columns=64"}]}' \
  >"$folder/gpu_check.json"
cd "$folder"
trials=72
# Its check data do not fit the memory that is allowed below.
too_large="matmul m=60000 n=60000 k=8"

fail() {
  echo "gpu_run: $*" >&2
  exit 1
}
call() { (ulimit -v 16000000 && exec ./run --device opencl --trials $trials --seconds 1 --rounds 2 "$@"); }
count() { ./bench_gpu --count gpu-results/check.db 2>/dev/null || echo 0; }
expect_code() {
  local expected=$1 code=0
  shift
  call "$@" >said.txt 2>&1 || code=$?
  ((code == expected)) || fail "run $* ended with $code instead of $expected: $(tail -n 5 said.txt)"
}

expect_refusal() {
  local expected=$1
  shift
  expect_code 2 "$@"
  grep -q -- "$expected" said.txt || fail "run $* is refused with $(cat said.txt)"
}
expect_refusal "--within is an integer from 1 to 99999999, not 'soon'" --within soon
expect_refusal "--trials is an integer" --trials 0
expect_refusal "--device is cuda or opencl, not 'gpu'" --device gpu
expect_refusal "--out needs a value" --out
[[ ! -e gpu-results ]] || fail "a call that is refused leaves a folder"
./run --help | grep -q -- "--first compares twelve workloads" || fail "--help does not tell of --first"

setsid ./run --device opencl --trials $trials >/dev/null 2>&1 &
killed=$!
for ((i = 0; i < 600; ++i)); do
  (($(count) > 0)) && break
  sleep 0.02
done
kill -9 -- -$killed
wait $killed 2>/dev/null || true
done_before=$(count)
((done_before > 0 && done_before < trials)) || fail "killed after $done_before of $trials trials"

expect_code 75 --within 1
if (($(count) < trials)); then
  grep -q "of $trials trials of the check: call it again" said.txt || fail "a run out of time does not say so: $(cat said.txt)"
fi

expect_code 0 --within 600 --workload "$too_large" --workload "matmul m=16 n=16 k=8"
(($(count) == trials)) || fail "$(count) trials after $done_before of $trials and a kill"
grep -q "check: 4 of 4 workloads and templates gave right results" said.txt || fail "the check is not told: $(cat said.txt)"
grep -q "refused: nestwright on $too_large" said.txt || fail "what failed is not told: $(cat said.txt)"
grep -q '"complete": true' gpu-results/report.json || fail "the report is not complete"
(($(grep -c '"times_ns"' gpu-results/report.json) >= 1)) || fail "a failing workload ended the others"

grep -q '"label": "square 4096"' gpu_first.json || fail "the suite of --first is not in the bundle"
echo '{"summary": "one", "entries": [{"label": "small", "workload": "matmul m=16 n=16 k=8"}]}' >gpu_first.json
expect_code 0 --first --within 600 --out first
grep -q '"complete": true' first/first.json || fail "the report of --first is not complete"
[[ ! -e first/check.db ]] || fail "--first checked what it does not compare"

before=$(stat -c %s gpu-results/gpu.jsonl)
expect_code 0 --within 600 --workload "$too_large" --workload "matmul m=16 n=16 k=8"
(($(stat -c %s gpu-results/gpu.jsonl) == before)) || fail "what was done is done again"
