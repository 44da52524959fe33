static inline float nw_float32_of_float16(ushort bits) { return vload_half(0, (const half*)&bits); }
static inline ushort nw_float16_of_float32(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (half*)&bits);
  return bits;
}

// grid ((n + 31)/32, 1, 1), block (32, 1, 1)
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void two_kernels_kernel0(
    __global const ushort* restrict A,
    __global float* restrict float_,
    const long n) {
  const int i_outer = (int)get_group_id(0);
  const int i_inner = (int)get_local_id(0);
  if ((long)i_outer*32 + i_inner < n) {
    float_[(long)i_outer*32 + i_inner] = exp(nw_float32_of_float16(A[(long)i_outer*32 + i_inner]));
  }
}

// grid ((n + 31)/32, 1, 1), block (32, 1, 1)
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void two_kernels_kernel1(
    __global ushort* restrict C,
    __global const float* restrict float_,
    const long n) {
  const int i_outer = (int)get_group_id(0);
  const int i_inner = (int)get_local_id(0);
  if ((long)i_outer*32 + i_inner < n) {
    C[(long)i_outer*32 + i_inner] = nw_float16_of_float32(float_[(long)i_outer*32 + i_inner]*float_[n - (long)i_outer*32 - i_inner - 1]);
  }
}
