// grid (2, 1, 1), block (32, 1, 1), 4096 bytes of shared memory
extern "C" __global__ void __launch_bounds__(32) row_sums_kernel0(const float* __restrict__ A, float* __restrict__ B) {
  __shared__ __align__(16) float B_rf[1024];
  const int i_outer = (int)blockIdx.x;
  const int i_inner = (int)threadIdx.x;
  for (int i = 0; i < 32; ++i) {
    B_rf[i*32 + i_inner] = 0.0f;
    for (int k_outer = 0; k_outer < 10; ++k_outer) {
      B_rf[i*32 + i_inner] = B_rf[i*32 + i_inner] + A[i_outer*10240 + i*320 + k_outer*32 + i_inner];
    }
  }
  B[i_outer*32 + i_inner] = 0.0f;
  __syncthreads();
  for (int k_inner_v = 0; k_inner_v < 32; ++k_inner_v) {
    B[i_outer*32 + i_inner] = B[i_outer*32 + i_inner] + B_rf[i_inner*32 + k_inner_v];
  }
}
