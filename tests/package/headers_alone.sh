#!/bin/bash
# headers_alone.sh INCLUDE GENERATED COMPILER: compiles each public header by itself, with only these folders of headers, and checks that
# the umbrella header includes all that it should.
set -euo pipefail

include=$1 generated=$2 compiler=$3
cd "$include"
failed=0
for header in nestwright/*.h nestwright/*/*.h; do
  language=c++ standard=c++20
  [[ $header != nestwright/kernel_abi.h ]] || language=c standard=c11
  if ! echo "#include <$header>" | "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wshadow -Werror -fsyntax-only -I . -I "$generated" -; then
    echo "$header cannot be compiled alone" >&2
    failed=1
  fi
done

# -H lists the files that are included.
included=$(echo '#include <nestwright/nestwright.h>' | "$compiler" -x c++ -std=c++20 -fsyntax-only -H -I . -I "$generated" - 2>&1)
for header in nestwright/*.h nestwright/*/*.h; do
  [[ $header != nestwright/plugin.h ]] || continue
  grep -q "/$header\$" <<<"$included" || { echo "nestwright/nestwright.h does not include $header" >&2; failed=1; }
done
exit $failed
