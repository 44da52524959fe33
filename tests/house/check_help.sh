#!/bin/bash
# Checks that every script of bench/ prints its help with --help, and builds, installs and fetches nothing meanwhile.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$1/bench" "$1/cmake" "$folder/"
for script in compare install-libraries kill lowering metaschedule peers search trust gpu/bundle; do
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
