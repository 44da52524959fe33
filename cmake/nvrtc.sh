# Sourced by ./check: CUDA's compiler for the tests that compile for GPUs, where no toolkit is installed.
# shellcheck shell=bash

# provide_nvrtc ROOT: where NVRTC is in none of the places that Nestwright looks in, it is fetched from Python's registry into
# build/nvrtc and named by NESTWRIGHT_NVRTC. A folder that is there is left alone.
provide_nvrtc() {
  local root=$1 folder=$1/build/nvrtc prefix wheel
  [[ -n ${NESTWRIGHT_NVRTC:-} ]] && return 0
  for prefix in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    [[ -n $prefix && -e $prefix/lib64/libnvrtc.so ]] && return 0
  done
  if /sbin/ldconfig -p | grep -q 'libnvrtc\.so'; then return 0; fi
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
    mv "$folder.part" "$folder" # only what is whole gets the name
  fi
  NESTWRIGHT_NVRTC=$(find "$folder" -name 'libnvrtc.so.*' ! -name '*.alt.*' | head -1)
  export NESTWRIGHT_NVRTC
}
