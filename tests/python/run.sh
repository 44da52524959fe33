#!/bin/bash
# Installs the build tree and the Python package, whose module alone is then compiled, into folders outside of the tree, and runs the
# package's tests there in a fresh virtual environment: those marked slow only under ./check --full.
#
#   run.sh BUILD SOURCE
set -euo pipefail

build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chosen="not slow"
[[ ${NESTWRIGHT_CHECK_FULL:-0} == 1 ]] && chosen=""

cmake --install "$build" --prefix "$work/prefix" >/dev/null
python3 -m venv "$work/env"
python=$work/env/bin/python
pip_install() { "$python" -m pip install --quiet --disable-pip-version-check "$@"; }
pip_install "nanobind>=2.8" "scikit-build-core>=0.11" ninja numpy ml_dtypes mypy pytest
cp -r "$source/pyproject.toml" "$source/CMakeLists.txt" "$source/README.md" "$source/LICENSE" "$source/python" "$work/"
# Compiled without optimisation, in a third of the time: what takes time is in the library.
CMAKE_PREFIX_PATH=$work/prefix pip_install --no-build-isolation --config-settings=cmake.build-type=Debug "$work"
cd "$work"
[[ -n $chosen ]] || "$work/env/bin/mypy" --config-file pyproject.toml -p nestwright
"$python" -m pytest -q -p no:cacheprovider -c /dev/null --rootdir "$work" -m "$chosen" "$source/tests/python"
