#!/bin/bash
# check_tidy.sh CLANG_TIDY NINJA SOURCE_DIR BUILD_DIR: fails on any finding of .clang-tidy in the product's source files.
# A file that was found clean is read again only when it, a header of ours that it includes, or the list changes. All of them cost
# about as much as half a build, so that without NESTWRIGHT_CHECK_FULL=1 (./check --full) a run reads what the last ten commits and
# the working tree changed, with what includes it, and of the rest a sixth that the commit's hash chooses.
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

tidy=$1 ninja=$2 source_dir=$3 build_dir=$4
stamps=$build_dir/clang-tidy
mkdir -p "$stamps"
cd "$source_dir"

# Without the precompiled headers, which only g++ can read: a file that does not include what it uses is found by that.
sed -E 's/ -Winvalid-pch -include [^ ]+cmake_pch\.hxx//' "$build_dir/compile_commands.json" >"$stamps/compile_commands.json"

slices=6
commit=$(git rev-parse HEAD 2>/dev/null || true)
declare -A changed=()
full=${NESTWRIGHT_CHECK_FULL:-0}
if ! base=$(git rev-parse --verify --quiet HEAD~10); then
  full=1  # without history nothing tells what changed
else
  while IFS= read -r file; do changed[$file]=1; done < <(git diff --name-only "$base"; git ls-files --others --exclude-standard)
fi

# is_due SOURCE FILES...: whether this run reads it.
is_due() {
  local file number
  [[ $full == 1 ]] && return 0
  for file in "$@"; do [[ -n ${changed[$file]:-} ]] && return 0; done
  number=$(cksum <<<"$commit $1")
  ((${number%% *} % slices == 0))
}

# Each compiled source of the product with all files of ours that it was compiled from, as ninja recorded them.
stale=()
while read -r -a files; do
  source=${files[0]}
  is_due "${files[@]}" || continue
  key=$({ "$tidy" --version; sha256sum .clang-tidy "${files[@]}"; } | sha256sum | cut -d ' ' -f 1)
  stamp=$stamps/${source//\//_}
  if [[ $(cat "$stamp" 2>/dev/null || true) != "$key" ]]; then stale+=("$source" "$stamp" "$key"); fi
done < <("$ninja" -C "$build_dir" -t deps 2>/dev/null | awk -v root="$source_dir/" '
  /^[^ ].*#deps/ { if (line != "") print line; line = ""; next }
  index($1, root) == 1 && index($1, root "build/") != 1 { path = substr($1, length(root) + 1); line = line (line == "" ? "" : " ") path }
  END { if (line != "") print line }' | grep -E '^(src|templates|search|cost_model|logs)/[^ ]*\.cpp( |$)' | sort -u -k 1,1)

echo "$((${#stale[@]} / 3)) files to read"
((${#stale[@]})) || exit 0
printf '%s\0' "${stale[@]}" | xargs -0 -n 3 -P "$(nproc)" "$0" --one "$tidy" "$stamps"
