static __device__ __forceinline__ void nw_fill_float32(float* top, float* bottom, float x) {
  top[0] = x, top[1] = x, bottom[0] = x, bottom[1] = x;
}
static __device__ __forceinline__ void nw_copy_16(void* to, const void* from, bool condition) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
               "l"(from), "r"(condition ? 16 : 0)
               : "memory");
}
static __device__ __forceinline__ void nw_ldmatrix(
    unsigned int* r0, unsigned int* r1, unsigned int* r2, unsigned int* r3, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(*r0), "=r"(*r1), "=r"(*r2), "=r"(*r3)
               : "r"((unsigned int)__cvta_generic_to_shared(row))
               : "memory");
}
static __device__ __forceinline__ void nw_load(
    unsigned int* top, unsigned int* bottom, const void* from, int bytes) {
  const int lane = 4 * (int)threadIdx.y + (int)threadIdx.x, matrix = lane / 8;
  const int row = matrix / 2 * 8 + lane % 8, column = matrix % 2 * 16;
  nw_ldmatrix(top, top + 1, bottom, bottom + 1, (const char*)from + row * bytes + column);
}
static __device__ __forceinline__ void nw_ldmatrix_transposed(
    unsigned int* r0, unsigned int* r1, unsigned int* r2, unsigned int* r3, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(*r0), "=r"(*r1), "=r"(*r2), "=r"(*r3)
               : "r"((unsigned int)__cvta_generic_to_shared(row))
               : "memory");
}
static __device__ __forceinline__ void nw_load_transposed(
    unsigned int* top, unsigned int* bottom, const void* from, int bytes) {
  const int lane = 4 * (int)threadIdx.y + (int)threadIdx.x, matrix = lane / 8;
  const int row = matrix % 2 * 8 + lane % 8, column = matrix / 2 * 16;
  nw_ldmatrix_transposed(top, top + 1, bottom, bottom + 1, (const char*)from + row * bytes + column);
}
static __device__ __forceinline__ void nw_mma_float16(
    float* c0, float* c1, float* c2, float* c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3,
    unsigned int b0, unsigned int b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(*c0), "+f"(*c1), "+f"(*c2), "+f"(*c3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
static __device__ __forceinline__ void nw_multiply_float16(
    float* top, float* bottom, const unsigned int* a_top, const unsigned int* a_bottom, const unsigned int* b) {
  nw_mma_float16(top, top + 1, bottom, bottom + 1, a_top[0], a_bottom[0], a_top[1], a_bottom[1], b[0], b[1]);
}

// grid (3, 2, 1), block (4, 8, 2), 10224 bytes of shared memory
extern "C" __global__ void __launch_bounds__(64) fragments_kernel0(
    const unsigned short* __restrict__ A,
    const unsigned short* __restrict__ B,
    float* __restrict__ C) {
  __shared__ __align__(16) unsigned short B_cache[2552];
  __shared__ __align__(16) unsigned short A_cache[2552];
  const int i_outer = (int)blockIdx.y;
  const int j_outer = (int)blockIdx.x;
  const int j_inner_outer = (int)threadIdx.z;
  const int i_inner_inner = (int)threadIdx.y;
  const int j_inner_inner_inner_outer = (int)threadIdx.x;
  float C_tile[16];
  #pragma unroll
  for (int i_outer_1 = 0; i_outer_1 < 2; ++i_outer_1) {
    #pragma unroll
    for (int j_outer_1 = 0; j_outer_1 < 2; ++j_outer_1) {
      nw_fill_float32(&C_tile[i_outer_1*8 + j_outer_1*2], &C_tile[i_outer_1*8 + j_outer_1*2 + 4], 0.0f);
    }
  }
  for (int ax0_ax1_outer_outer = 0; ax0_ax1_outer_outer < 2; ++ax0_ax1_outer_outer) {
    const int ax0 = ax0_ax1_outer_outer*16 + j_inner_outer*8 + i_inner_inner;
    nw_copy_16(&A_cache[ax0*40 + j_inner_inner_inner_outer*8], &A[i_outer*2048 + ax0*64 + j_inner_inner_inner_outer*8], true);
  }
  for (int ax0_ax1_outer_outer_1 = 0; ax0_ax1_outer_outer_1 < 2; ++ax0_ax1_outer_outer_1) {
    const int ax0_1 = ax0_ax1_outer_outer_1*16 + j_inner_outer*8 + i_inner_inner;
    nw_copy_16(&B_cache[ax0_1*40 + j_inner_inner_inner_outer*8], &B[ax0_1*96 + j_outer*32 + j_inner_inner_inner_outer*8], true);
  }
  for (int k_outer = 0; k_outer < 2; ++k_outer) {
    if (k_outer < 1) {
      for (int ax0_ax1_outer_outer_2 = 0; ax0_ax1_outer_outer_2 < 2; ++ax0_ax1_outer_outer_2) {
        const int ax0_2 = ax0_ax1_outer_outer_2*16 + j_inner_outer*8 + i_inner_inner;
        nw_copy_16(&A_cache[ax0_2*40 + j_inner_inner_inner_outer*8 + 1280], &A[i_outer*2048 + ax0_2*64 + j_inner_inner_inner_outer*8 + 32], true);
      }
      for (int ax0_ax1_outer_outer_3 = 0; ax0_ax1_outer_outer_3 < 2; ++ax0_ax1_outer_outer_3) {
        const int ax0_3 = ax0_ax1_outer_outer_3*16 + j_inner_outer*8 + i_inner_inner;
        nw_copy_16(&B_cache[ax0_3*40 + j_inner_inner_inner_outer*8 + 1280], &B[ax0_3*96 + j_outer*32 + j_inner_inner_inner_outer*8 + 3072], true);
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int k_inner_outer = 0; k_inner_outer < 2; ++k_inner_outer) {
      unsigned int A_cache_cache[8];
      unsigned int B_cache_cache[4];
      #pragma unroll
      for (int ax0_outer = 0; ax0_outer < 2; ++ax0_outer) {
        nw_load(&A_cache_cache[ax0_outer*4], &A_cache_cache[ax0_outer*4 + 2], &A_cache[k_outer*1280 + ax0_outer*640 + k_inner_outer*16], 80);
      }
      nw_load_transposed(&B_cache_cache[0], &B_cache_cache[2], &B_cache[k_outer*1280 + k_inner_outer*640 + j_inner_outer*16], 80);
      #pragma unroll
      for (int i_outer_2 = 0; i_outer_2 < 2; ++i_outer_2) {
        #pragma unroll
        for (int j_outer_2 = 0; j_outer_2 < 2; ++j_outer_2) {
          nw_multiply_float16(&C_tile[i_outer_2*8 + j_outer_2*2], &C_tile[i_outer_2*8 + j_outer_2*2 + 4], &A_cache_cache[i_outer_2*4], &A_cache_cache[i_outer_2*4 + 2], &B_cache_cache[j_outer_2*2]);
        }
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
  }
  #pragma unroll
  for (int i_inner_outer = 0; i_inner_outer < 4; ++i_inner_outer) {
    #pragma unroll
    for (int j_inner_inner_outer = 0; j_inner_inner_outer < 2; ++j_inner_inner_outer) {
      *(float2*)&C[i_outer*3072 + i_inner_outer*768 + i_inner_inner*96 + j_outer*32 + j_inner_outer*16 + j_inner_inner_outer*8 + j_inner_inner_inner_outer*2] = make_float2(C_tile[i_inner_outer*4 + j_inner_inner_outer*2], C_tile[i_inner_outer*4 + j_inner_inner_outer*2 + 1]);
    }
  }
}
