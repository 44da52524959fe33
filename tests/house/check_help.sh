#!/bin/bash
# Checks that every script of bench/ prints its help with --help, and builds, installs and fetches nothing meanwhile.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$1/bench" "$1/cmake" "$folder/"
cd "$folder/bench"
# Sourced files cannot be executed; the worker of the script metaschedule is no command.
mapfile -t scripts < <(find . -maxdepth 2 -type f -perm -u+x ! -path ./meta_schedule/worker)
if ((${#scripts[@]} < 10)); then
  echo "only ${#scripts[@]} scripts were found in bench/" >&2
  exit 1
fi
for script in "${scripts[@]}"; do
  for option in -h --help; do
    said=$("$folder/bench/$script" "$option")
    if [[ ${#said} -lt 40 ]]; then
      echo "bench/$script $option says nothing of what it does" >&2
      exit 1
    fi
  done
done
if [[ -e $folder/build ]]; then
  echo "a script of bench/ made $folder/build though only its help was asked for" >&2
  exit 1
fi
