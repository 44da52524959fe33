// grid (2, 2, 1), block (16, 8, 1), 6144 bytes of shared memory
__kernel __attribute__((reqd_work_group_size(16, 8, 1))) void matmul_kernel0(
    __global const float* restrict A,
    __global const float* restrict B,
    __global float* restrict C) {
  __local float B_cache[1024] __attribute__((aligned(16)));
  __local float A_cache[512] __attribute__((aligned(16)));
  const int i_outer = (int)get_group_id(1);
  const int j_outer = (int)get_group_id(0);
  const int i_inner_outer = (int)get_local_id(1);
  const int j_inner_outer = (int)get_local_id(0);
  float C_tile[16];
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
      C_tile[i*4 + j] = 0.0f;
    }
  }
  *(__local float2*)&A_cache[i_inner_outer*32 + j_inner_outer/4*8 + j_inner_outer%4*2] = *(__global const float2*)&A[i_outer*3072 + i_inner_outer*384 + j_inner_outer/4*96 + j_inner_outer%4*2];
  *(__local float4*)&B_cache[i_inner_outer*64 + j_inner_outer*4] = *(__global const float4*)&B[i_inner_outer*128 + j_outer*64 + j_inner_outer*4];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k_outer = 0; k_outer < 12; ++k_outer) {
    float B_cache_ahead[4];
    float A_cache_ahead[2];
    if (k_outer < 11) {
      const float2 A_vector = *(__global const float2*)&A[i_outer*3072 + i_inner_outer*384 + j_inner_outer/4*96 + k_outer*8 + j_inner_outer%4*2 + 8];
      A_cache_ahead[0] = A_vector.s0;
      A_cache_ahead[1] = A_vector.s1;
      const float4 B_vector = *(__global const float4*)&B[k_outer*1024 + i_inner_outer*128 + j_outer*64 + j_inner_outer*4 + 1024];
      B_cache_ahead[0] = B_vector.s0;
      B_cache_ahead[1] = B_vector.s1;
      B_cache_ahead[2] = B_vector.s2;
      B_cache_ahead[3] = B_vector.s3;
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
    if (k_outer < 11) {
      *(__local float2*)&A_cache[(k_outer + 1)%2*256 + i_inner_outer*32 + j_inner_outer/4*8 + j_inner_outer%4*2] = (float2)(A_cache_ahead[0], A_cache_ahead[1]);
      *(__local float4*)&B_cache[(k_outer + 1)%2*512 + i_inner_outer*64 + j_inner_outer*4] = (float4)(B_cache_ahead[0], B_cache_ahead[1], B_cache_ahead[2], B_cache_ahead[3]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  #pragma unroll
  for (int i_inner_inner = 0; i_inner_inner < 4; ++i_inner_inner) {
    *(__global float4*)&C[i_outer*4096 + i_inner_outer*512 + i_inner_inner*128 + j_outer*64 + j_inner_outer*4] = (float4)(C_tile[i_inner_inner*4], C_tile[i_inner_inner*4 + 1], C_tile[i_inner_inner*4 + 2], C_tile[i_inner_inner*4 + 3]);
  }
}
