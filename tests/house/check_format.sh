#!/bin/bash
# check_format.sh CLANG_FORMAT SOURCE_DIR: fails if clang-format would change a file.
set -euo pipefail
cd "$2"
find include src templates search cost_model logs bench examples python tests \( -name '*.h' -o -name '*.cpp' -o -name '*.c' \) \
  -not -path 'tests/golden/*' -print0 | xargs -0 -P "$(nproc)" -n 16 "$1" --dry-run --Werror
