#!/bin/bash
# Installs the build tree and the Python package, whose module alone is then compiled, into a folder outside of the tree, with a fresh
# virtual environment (env/), and writes the folder's path to the file NOTED, or removes what an earlier call made. CXX is the compiler,
# if it is not empty.
#
#   package.sh BUILD SOURCE NOTED
#   package.sh --remove NOTED
set -euo pipefail

noted=${!#}
if [[ -f $noted ]]; then # also that of a run that was killed
  rm -rf "$(<"$noted")" "$noted"
fi
[[ $1 != --remove ]] || exit 0
[[ -n ${CXX:-} ]] || unset CXX

build=$1 source=$2
work=$(mktemp -d)
echo "$work" >"$noted"

cmake --install "$build" --prefix "$work/prefix" >/dev/null
python3 -m venv "$work/env"
pip_install() { "$work/env/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
pip_install "nanobind>=2.8" "scikit-build-core>=0.11" ninja
others_of_full=()
[[ ${NESTWRIGHT_CHECK_FULL:-0} == 1 ]] && others_of_full=(ipykernel nbclient onnx pandas)
pip_install numpy ml_dtypes mypy pytest "${others_of_full[@]}" & # which compiling the module does not need
others=$!
cp -r "$source/pyproject.toml" "$source/CMakeLists.txt" "$source/README.md" "$source/LICENSE" "$source/python" "$work/"
# Compiled without optimisation: what takes time is in the library.
CMAKE_PREFIX_PATH=$work/prefix pip_install --no-build-isolation --no-deps --config-settings=cmake.build-type=Debug \
  --config-settings=cmake.define.CMAKE_CXX_FLAGS_DEBUG= "$work"
wait "$others"
