#!/bin/bash
# check_tidy.sh CLANG_TIDY SOURCE_DIR BUILD_DIR: runs clang-tidy on all sources but tests. Fails on any finding, and if a source
# does not include what it uses. With NESTWRIGHT_CHECK_FULL=1 (./check --full) it checks each source separately, which takes about half
# as long as a build. Otherwise it checks separately the 8 sources that changed last, a source for each of the 8 headers that changed
# last, and a slice of the others; and another slice in batches, as they are compiled (NESTWRIGHT_BATCHES). The commit's hash chooses
# the slices. One check finds nothing in a batch: misc-unused-using-decls.
# A clean source is checked again only when it, one of our headers that it includes, or .clang-tidy changes.
set -euo pipefail

if [[ $1 == --one ]]; then  # --one CLANG_TIDY COMMANDS_DIR SOURCE STAMP KEY
  # Clang's own warnings are off: the build has those of its compiler.
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
declare -A changed=()  # the newest files of the working tree and the last ten commits
if git rev-parse --verify --quiet HEAD~10 >/dev/null; then
  newest() { awk -v kind="\\.$1\$" '$0 ~ kind && !seen[$0]++ && ++count <= 8'; }
  names=$({ git ls-files --others --exclude-standard; git diff --name-only HEAD; git log --format= --name-only -10; } | grep -v '^python/' || true)
  while IFS= read -r file; do changed[$file]=1; done < <(newest cpp <<<"$names"; newest h <<<"$names")
else
  full=1  # without history it is unknown what changed
fi

# in_slice NAME COUNT: succeeds if NAME is in this commit's slice, of COUNT slices.
in_slice() {
  local number
  number=$(cksum <<<"$commit $1")
  ((${number%% *} % $2 == 0))
}

# is_due SOURCE FILES...: succeeds if this run checks a source or a batch. One source per changed header is enough.
is_due() {
  local file name=${1#"$build_dir"/} due=0
  if [[ $name == "$1" ]]; then
    { [[ $full == 1 || -n ${changed[${1#"$source_dir"/}]:-} ]] || in_slice "$name" 96; } && due=1
    for file in "${@:2}"; do [[ $file == *.h && -n ${changed[$file]:-} ]] && due=1; done
  elif [[ $full != 1 ]]; then
    in_slice "$name" 48 && due=1
  fi
  [[ $due == 1 ]] || return 1
  for file in "${@:2}"; do
    if [[ $file == *.h ]]; then unset "changed[$file]"; fi
  done
}

checked='(src|templates|search|cost_model|logs|bench|examples)'
version=$("$tidy" --version)
# A line for each source and then for each batch, with all of our files that it includes.
sed -nE 's|^  "file": "(.*)".*|\1|p' "$stamps/compile_commands.json" | sort -u >"$stamps/compiled"
for kind in "$source_dir/$checked/.*\.cpp" "$build_dir/$checked/.*/Unity/.*\.cxx"; do
  sed -nE "\#^$kind\$#p" "$stamps/compiled"
done | awk -v root="$source_dir/" -f "$source_dir/tests/house/files_read.awk" >"$stamps/files_read"
if (($(wc -l <"$stamps/files_read") < 20)); then
  echo "only $(wc -l <"$stamps/files_read") sources and batches were found" >&2
  exit 1
fi
stale=()
while read -r -a files; do
  is_due "${files[@]}" || continue
  key=$({ echo "$version"; sha256sum .clang-tidy "${files[@]:1}"; } | sha256sum | cut -d ' ' -f 1)
  stamp=$stamps/${files[0]//\//_}
  if [[ $(cat "$stamp" 2>/dev/null || true) != "$key" ]]; then stale+=("${files[0]}" "$stamp" "$key"); fi
done <"$stamps/files_read"

echo "$((${#stale[@]} / 3)) sources and batches to read"
((${#stale[@]})) || exit 0
printf '%s\0' "${stale[@]}" | xargs -0 -n 3 "$0" --one "$tidy" "$stamps"
