# Sourced by ./check: provides NVRTC for the tests that compile for GPUs if no CUDA toolkit is installed.
# shellcheck shell=bash

# provide_nvrtc ROOT: if NVRTC is in none of the places that Nestwright searches, downloads it from Python's registry to
# build/nvrtc and sets NESTWRIGHT_NVRTC. Does not download again if the folder exists.
provide_nvrtc() {
  local root=$1 folder=$1/build/nvrtc prefix wheel
  [[ -n ${NESTWRIGHT_NVRTC:-} ]] && return 0
  for prefix in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    [[ -n $prefix && -e $prefix/lib64/libnvrtc.so ]] && return 0
  done
  [[ $(/sbin/ldconfig -p) == *libnvrtc.so* ]] && return 0
  if [[ ! -d $folder ]]; then
    install_missing "$root" nvrtc || return 1
    heading "Fetching CUDA's compiler, which this machine lacks, from Python's registry (90 MB)"
    rm -rf "$folder.part"
    mkdir -p "$folder.part"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$folder.part" \
      nvidia-cuda-nvrtc==13.0.88 || return 1
    for wheel in "$folder.part"/*.whl; do
      python3 -m zipfile -e "$wheel" "$folder.part" || return 1
      rm "$wheel"
    done
    mv "$folder.part" "$folder" # the name is given only to a complete download
  fi
  NESTWRIGHT_NVRTC=$(find "$folder" -name 'libnvrtc.so.*' ! -name '*.alt.*' | head -1)
  export NESTWRIGHT_NVRTC
}
