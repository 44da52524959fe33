#!/bin/bash
# Runs the package's tests in the environment that package.sh made: those marked slow only under ./check --full.
#
#   run.sh SOURCE NOTED
set -euo pipefail

source=$1
cd "$(<"$2")"
chosen="not slow"
[[ ${NESTWRIGHT_CHECK_FULL:-0} == 1 ]] && chosen=""
env/bin/mypy --config-file pyproject.toml -p nestwright
env/bin/python -m pytest -q -p no:cacheprovider -c /dev/null --rootdir "$PWD" -m "$chosen" "$source/tests/python"
