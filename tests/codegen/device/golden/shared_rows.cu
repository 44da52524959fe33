// grid (16, 1, 1), block (8, 4, 1), 128 bytes of shared memory
extern "C" __global__ void __launch_bounds__(32) shared_rows_kernel0(
    const float* __restrict__ A,
    float* __restrict__ B) {
  __shared__ __align__(16) float B_rf[32];
  const int i_outer = (int)blockIdx.x;
  const int i_inner = (int)threadIdx.y;
  const int k_inner = (int)threadIdx.x;
  B_rf[k_inner*4 + i_inner] = 0.0f;
  for (int k_outer = 0; k_outer < 13; ++k_outer) {
    B_rf[k_inner*4 + i_inner] = B_rf[k_inner*4 + i_inner] + (k_outer*8 + k_inner < 100 ? A[i_outer*400 + i_inner*100 + k_outer*8 + k_inner] : 0);
  }
  __syncthreads();
  if (k_inner < 1) {
    B[i_outer*4 + i_inner] = 0.0f;
    for (int k_inner_v = 0; k_inner_v < 8; ++k_inner_v) {
      B[i_outer*4 + i_inner] = B[i_outer*4 + i_inner] + B_rf[k_inner_v*4 + i_inner];
    }
  }
}
