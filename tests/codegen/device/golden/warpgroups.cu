static __device__ __forceinline__ void nw_fill_all_float32(float* sums, int count, float x) {
#pragma unroll
  for (int i = 0; i < count; ++i) sums[i] = x;
}
static __device__ __forceinline__ void nw_copy_16(void* to, const void* from, bool condition) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
               "l"(from), "r"(condition ? 16 : 0)
               : "memory");
}
static __device__ __forceinline__ void nw_wgmma_float16_32_a_b(
    float* top, float* bottom, unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7,"
               "%8, %9, %10, %11, %12, %13, %14, %15"
               "}, %16, %17, 1, 1, 1, 1, 1;"
               : "+f"(top[0]), "+f"(top[1]), "+f"(bottom[0]), "+f"(bottom[1]),
                 "+f"(top[2]), "+f"(top[3]), "+f"(bottom[2]), "+f"(bottom[3]),
                 "+f"(top[4]), "+f"(top[5]), "+f"(bottom[4]), "+f"(bottom[5]),
                 "+f"(top[6]), "+f"(top[7]), "+f"(bottom[6]), "+f"(bottom[7])
               : "l"(a), "l"(b));
}
static __device__ __forceinline__ void nw_multiply_shared_float16_32_a_b(
    float* top, float* bottom, const void* a, int a_along, int a_across, const void* b, int b_along, int b_across,
    int steps) {
  const unsigned long long a_cores = (unsigned long long)(a_across >> 4) << 32 | (unsigned int)(a_along >> 4) << 16;
  const unsigned long long b_cores = (unsigned long long)(b_across >> 4) << 32 | (unsigned int)(b_along >> 4) << 16;
  const unsigned int a_at = (unsigned int)__cvta_generic_to_shared(a), b_at = (unsigned int)__cvta_generic_to_shared(b);
#pragma unroll
  for (int i = 0; i < 8; ++i) asm volatile("" : "+f"(top[i]), "+f"(bottom[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    nw_wgmma_float16_32_a_b(top, bottom, a_cores | (a_at + 2 * step * a_along) >> 4, b_cores | (b_at + 2 * step * b_along) >> 4);
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
static __device__ __forceinline__ void nw_await_float32_32(float* top, float* bottom) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 8; ++i) asm volatile("" : "+f"(top[i]), "+f"(bottom[i])::"memory");
}

// grid (3, 1, 1), block (4, 8, 8), 40960 bytes of shared memory
extern "C" __global__ void __launch_bounds__(256) warpgroups_kernel0(
    const unsigned short* __restrict__ A,
    const unsigned short* __restrict__ B,
    float* __restrict__ C) {
  __shared__ __align__(16) unsigned short B_cache[4096];
  __shared__ __align__(16) unsigned short A_cache[16384];
  const int i_outer = (int)blockIdx.y;
  const int j_outer = (int)blockIdx.x;
  const int i_inner_outer_i_inner_inner_outer = (int)threadIdx.z;
  const int i_inner_inner_inner_inner = (int)threadIdx.y;
  const int j_inner_inner_outer = (int)threadIdx.x;
  const int i_inner_outer = i_inner_outer_i_inner_inner_outer/4;
  const int i_inner_inner_outer = i_inner_outer_i_inner_inner_outer%4;
  float C_tile[16];
  nw_fill_all_float32(&C_tile[0], 16, 0.0f);
  for (int ax0_ax1_outer_ax1_inner_outer_outer = 0; ax0_ax1_outer_ax1_inner_outer_outer < 4; ++ax0_ax1_outer_ax1_inner_outer_outer) {
    const int ax0 = ax0_ax1_outer_ax1_inner_outer_outer*16 + i_inner_outer_i_inner_inner_outer*2 + i_inner_inner_inner_inner/4;
    const int ax1_outer = i_inner_inner_inner_inner%4*4 + j_inner_inner_outer;
    nw_copy_16(&A_cache[ax1_outer*512 + ax0*8], &A[ax0*128 + ax1_outer*8], true);
  }
  const int ax0_1 = i_inner_outer_i_inner_inner_outer*8 + i_inner_inner_inner_inner;
  nw_copy_16(&B_cache[j_inner_inner_outer*512 + ax0_1*8], &B[ax0_1*96 + j_outer*32 + j_inner_inner_outer*8], true);
  asm volatile("cp.async.wait_all;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  for (int k_outer = 0; k_outer < 3; ++k_outer) {
    nw_multiply_shared_float16_32_a_b(&C_tile[0], &C_tile[8], &A_cache[k_outer%2*8192 + i_inner_outer_i_inner_inner_outer/4*4096], 128, 1024, &B_cache[k_outer%2*2048], 128, 1024, 4);
    if (k_outer < 2) {
      for (int ax0_ax1_outer_ax1_inner_outer_outer_1 = 0; ax0_ax1_outer_ax1_inner_outer_outer_1 < 4; ++ax0_ax1_outer_ax1_inner_outer_outer_1) {
        const int ax0_2 = ax0_ax1_outer_ax1_inner_outer_outer_1*16 + i_inner_outer_i_inner_inner_outer*2 + i_inner_inner_inner_inner/4;
        const int ax1_outer_1 = i_inner_inner_inner_inner%4*4 + j_inner_inner_outer;
        nw_copy_16(&A_cache[(k_outer + 1)%2*8192 + ax1_outer_1*512 + ax0_2*8], &A[k_outer*8192 + ax0_2*128 + ax1_outer_1*8 + 8192], true);
      }
      const int ax0_3 = i_inner_outer_i_inner_inner_outer*8 + i_inner_inner_inner_inner;
      nw_copy_16(&B_cache[(k_outer + 1)%2*2048 + j_inner_inner_outer*512 + ax0_3*8], &B[k_outer*6144 + ax0_3*96 + j_outer*32 + j_inner_inner_outer*8 + 6144], true);
    }
    nw_await_float32_32(&C_tile[0], &C_tile[8]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
  }
  #pragma unroll
  for (int i_inner_inner_inner_outer = 0; i_inner_inner_inner_outer < 2; ++i_inner_inner_inner_outer) {
    #pragma unroll
    for (int j_inner_outer = 0; j_inner_outer < 4; ++j_inner_outer) {
      *(float2*)&C[i_inner_outer*6144 + i_inner_inner_outer*1536 + i_inner_inner_inner_outer*768 + i_inner_inner_inner_inner*96 + j_outer*32 + j_inner_outer*8 + j_inner_inner_outer*2] = make_float2(C_tile[i_inner_inner_inner_outer*8 + j_inner_outer*2], C_tile[i_inner_inner_inner_outer*8 + j_inner_outer*2 + 1]);
    }
  }
}
