// grid (16, 1, 1), block (8, 4, 1), 128 bytes of shared memory
__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void shared_rows_kernel0(
    __global const float* restrict A,
    __global float* restrict B) {
  __local float B_rf[32] __attribute__((aligned(16)));
  const int i_outer = (int)get_group_id(0);
  const int i_inner = (int)get_local_id(1);
  const int k_inner = (int)get_local_id(0);
  B_rf[k_inner*4 + i_inner] = 0.0f;
  for (int k_outer = 0; k_outer < 13; ++k_outer) {
    B_rf[k_inner*4 + i_inner] = B_rf[k_inner*4 + i_inner] + (k_outer*8 + k_inner < 100 ? A[i_outer*400 + i_inner*100 + k_outer*8 + k_inner] : 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (k_inner < 1) {
    B[i_outer*4 + i_inner] = 0.0f;
    for (int k_inner_v = 0; k_inner_v < 8; ++k_inner_v) {
      B[i_outer*4 + i_inner] = B[i_outer*4 + i_inner] + B_rf[k_inner_v*4 + i_inner];
    }
  }
}
