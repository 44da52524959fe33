static inline float nw_max_float32(float a, float b) { return fmax(a, b); }

// grid (4, 1, 1), block (64, 1, 1)
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void elementwise_kernel0(
    __global const float* restrict A,
    __global const float* restrict B,
    __global float* restrict C) {
  const int i_outer_outer = (int)get_group_id(0);
  const int i_outer_inner = (int)get_local_id(0);
  const int i_outer = i_outer_outer*64 + i_outer_inner;
  if (i_outer < 250) {
    const float4 A_vector = *(__global const float4*)&A[i_outer*4];
    const float4 B_vector = *(__global const float4*)&B[i_outer*4];
    *(__global float4*)&C[i_outer*4] = (float4)(nw_max_float32(A_vector.s0*2.0f + B_vector.s0, 0.0f), nw_max_float32(A_vector.s1*2.0f + B_vector.s1, 0.0f), nw_max_float32(A_vector.s2*2.0f + B_vector.s2, 0.0f), nw_max_float32(A_vector.s3*2.0f + B_vector.s3, 0.0f));
  }
}
