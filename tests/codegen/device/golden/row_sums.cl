// grid (2, 1, 1), block (32, 1, 1), 4096 bytes of shared memory
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void row_sums_kernel0(
    __global const float* restrict A,
    __global float* restrict B) {
  __local float B_rf[1024] __attribute__((aligned(16)));
  const int i_outer = (int)get_group_id(0);
  const int i_inner = (int)get_local_id(0);
  for (int i = 0; i < 32; ++i) {
    B_rf[i*32 + i_inner] = 0.0f;
    for (int k_outer = 0; k_outer < 10; ++k_outer) {
      B_rf[i*32 + i_inner] = B_rf[i*32 + i_inner] + A[i_outer*10240 + i*320 + k_outer*32 + i_inner];
    }
  }
  B[i_outer*32 + i_inner] = 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k_inner_v = 0; k_inner_v < 32; ++k_inner_v) {
    B[i_outer*32 + i_inner] = B[i_outer*32 + i_inner] + B_rf[i_inner*32 + k_inner_v];
  }
}
