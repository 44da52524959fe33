static __device__ __forceinline__ void nw_copy_8(void* to, const void* from, bool condition) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
               "l"(from), "r"(condition ? 8 : 0)
               : "memory");
}
static __device__ __forceinline__ void nw_copy_16(void* to, const void* from, bool condition) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
               "l"(from), "r"(condition ? 16 : 0)
               : "memory");
}

// grid (2, 2, 1), block (16, 8, 1), 6144 bytes of shared memory
extern "C" __global__ void __launch_bounds__(128) matmul_kernel0(
    const float* __restrict__ A,
    const float* __restrict__ B,
    float* __restrict__ C) {
  __shared__ __align__(16) float B_cache[1024];
  __shared__ __align__(16) float A_cache[512];
  const int i_outer = (int)blockIdx.y;
  const int j_outer = (int)blockIdx.x;
  const int i_inner_outer = (int)threadIdx.y;
  const int j_inner_outer = (int)threadIdx.x;
  float C_tile[16];
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
      C_tile[i*4 + j] = 0.0f;
    }
  }
  nw_copy_8(&A_cache[i_inner_outer*32 + j_inner_outer/4*8 + j_inner_outer%4*2], &A[i_outer*3072 + i_inner_outer*384 + j_inner_outer/4*96 + j_inner_outer%4*2], true);
  nw_copy_16(&B_cache[i_inner_outer*64 + j_inner_outer*4], &B[i_inner_outer*128 + j_outer*64 + j_inner_outer*4], true);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int k_outer = 0; k_outer < 12; ++k_outer) {
    if (k_outer < 11) {
      nw_copy_8(&A_cache[(k_outer + 1)%2*256 + i_inner_outer*32 + j_inner_outer/4*8 + j_inner_outer%4*2], &A[i_outer*3072 + i_inner_outer*384 + j_inner_outer/4*96 + k_outer*8 + j_inner_outer%4*2 + 8], true);
      nw_copy_16(&B_cache[(k_outer + 1)%2*512 + i_inner_outer*64 + j_inner_outer*4], &B[k_outer*1024 + i_inner_outer*128 + j_outer*64 + j_inner_outer*4 + 1024], true);
    }
    #pragma unroll
    for (int k_inner = 0; k_inner < 8; ++k_inner) {
      #pragma unroll
      for (int i_1 = 0; i_1 < 4; ++i_1) {
        #pragma unroll
        for (int j_1 = 0; j_1 < 4; ++j_1) {
          C_tile[i_1*4 + j_1] = C_tile[i_1*4 + j_1] + A_cache[k_outer%2*256 + i_inner_outer*32 + i_1*8 + k_inner]*B_cache[k_outer%2*512 + k_inner*64 + j_inner_outer*4 + j_1];
        }
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
  }
  #pragma unroll
  for (int i_inner_inner = 0; i_inner_inner < 4; ++i_inner_inner) {
    *(float4*)&C[i_outer*4096 + i_inner_outer*512 + i_inner_inner*128 + j_outer*64 + j_inner_outer*4] = make_float4(C_tile[i_inner_inner*4], C_tile[i_inner_inner*4 + 1], C_tile[i_inner_inner*4 + 2], C_tile[i_inner_inner*4 + 3]);
  }
}
