// grid ((n + 255)/256, 1, 1), block (256, 1, 1)
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void running_sum_kernel0(
    __global const float* restrict X,
    __global float* restrict Y,
    const long n) {
  const int j_outer = (int)get_group_id(0);
  const int j_inner = (int)get_local_id(0);
  if ((long)j_outer*256 + j_inner < n) {
    Y[(long)j_outer*256 + j_inner] = X[(long)j_outer*256 + j_inner];
  }
}

// grid ((n + 255)/256, 1, 1), block (256, 1, 1)
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void running_sum_kernel1(
    __global const float* restrict X,
    __global float* restrict Y,
    const long n,
    const long t) {
  const int j_outer = (int)get_group_id(0);
  const int j_inner = (int)get_local_id(0);
  if ((long)j_outer*256 + j_inner < n) {
    Y[n + t*n + (long)j_outer*256 + j_inner] = Y[t*n + (long)j_outer*256 + j_inner] + X[n + t*n + (long)j_outer*256 + j_inner];
  }
}
