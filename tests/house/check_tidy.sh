#!/bin/bash
# check_tidy.sh CLANG_TIDY SOURCE_DIR BUILD_DIR: fails on any finding of .clang-tidy in the product's source files, and where one does
# not include what it uses. With NESTWRIGHT_CHECK_FULL=1 (./check --full) it reads each source by itself. That costs about as much as
# half a build, so that without it a run reads by themselves the 24 sources that changed last and a slice, and as they are compiled,
# in batches (NESTWRIGHT_BATCHES), one reader of each of the 24 headers that changed last and another slice. The commit's hash chooses
# the slices. One check of the list sees nothing in a batch: misc-unused-using-decls.
# What was found clean is read again only when one of its files, a header of ours that they include, or the list changes.
set -euo pipefail

if [[ $1 == --one ]]; then  # --one CLANG_TIDY COMMANDS_DIR SOURCE STAMP KEY
  # Clang's own warnings are off: the compiler has its say in the build.
  if findings=$("$2" --quiet -p "$3" --extra-arg=-w "$4" 2>&1); then
    printf '%s' "$6" >"$5"
  else
    printf '%s\n' "$findings"
    exit 1
  fi
  exit 0
fi

tidy=$1 source_dir=$2 build_dir=$3
stamps=$build_dir/clang-tidy
mkdir -p "$stamps"
cd "$source_dir"

awk -f "$source_dir/tests/house/commands_alone.awk" "$build_dir/compile_commands.json" >"$stamps/compile_commands.json"

commit=$(git rev-parse HEAD 2>/dev/null || true)
full=${NESTWRIGHT_CHECK_FULL:-0}
declare -A changed=()  # of the working tree and the last ten commits, the newest
if git rev-parse --verify --quiet HEAD~10 >/dev/null; then
  newest() { awk -v kind="\\.$1\$" '$0 ~ kind && !seen[$0]++ && ++count <= 24'; }
  names=$(git ls-files --others --exclude-standard; git diff --name-only HEAD; git log --format= --name-only -10)
  while IFS= read -r file; do changed[$file]=1; done < <(newest cpp <<<"$names"; newest h <<<"$names")
else
  full=1  # without history nothing tells what changed
fi

# in_slice NAME COUNT: whether this commit reads it, of COUNT slices.
in_slice() {
  local number
  number=$(cksum <<<"$commit $1")
  ((${number%% *} % $2 == 0))
}

# is_due SOURCE FILES...: whether this run reads a source or a batch. Of a changed header that is read nothing more is due.
is_due() {
  local file name=${1#"$build_dir"/} due=0
  if [[ $name == "$1" ]]; then
    [[ $full == 1 || -n ${changed[${1#"$source_dir"/}]:-} ]] || in_slice "$name" 24
    return
  fi
  [[ $full == 1 ]] && return 1
  in_slice "$name" 6 && due=1
  for file in "${@:2}"; do [[ $file == *.h && -n ${changed[$file]:-} ]] && due=1; done
  [[ $due == 1 ]] || return 1
  for file in "${@:2}"; do
    if [[ $file == *.h ]]; then unset "changed[$file]"; fi
  done
}

product='(src|templates|search|cost_model|logs)'
version=$("$tidy" --version)
# A line for each source and each batch of the product, with all files of ours that are read with it.
stale=()
while read -r -a files; do
  is_due "${files[@]}" || continue
  key=$({ echo "$version"; sha256sum .clang-tidy "${files[@]:1}"; } | sha256sum | cut -d ' ' -f 1)
  stamp=$stamps/${files[0]//\//_}
  if [[ $(cat "$stamp" 2>/dev/null || true) != "$key" ]]; then stale+=("${files[0]}" "$stamp" "$key"); fi
done < <(sed -nE 's|^  "file": "(.*)".*|\1|p' "$stamps/compile_commands.json" |
  grep -E "^($source_dir/$product/.*\.cpp|$build_dir/$product/.*/Unity/.*\.cxx)\$" | sort -u |
  awk -v root="$source_dir/" -f "$source_dir/tests/house/files_read.awk")

echo "$((${#stale[@]} / 3)) sources and batches to read"
((${#stale[@]})) || exit 0
printf '%s\0' "${stale[@]}" | xargs -0 -n 3 -P "$(nproc)" "$0" --one "$tidy" "$stamps"
