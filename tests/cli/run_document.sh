#!/bin/bash
# run_document.sh DOCUMENT BUILD: runs what the document shows in blocks fenced as sh, in one new folder, by the programs of BUILD.
# Each command must succeed.
set -euo pipefail

document=$1 build=$2 folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '/^```sh$/ { shown = 1; next } /^```/ { shown = 0 } shown' "$document" >"$folder/commands"
[[ -s $folder/commands ]] || { echo "$document has no block of commands" >&2; exit 1; }
cd "$folder"
PATH=$build:$PATH bash -eux commands
