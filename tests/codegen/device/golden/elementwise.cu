static __device__ __forceinline__ float nw_max_float32(float a, float b) { return fmaxf(a, b); }

// grid (4, 1, 1), block (64, 1, 1)
extern "C" __global__ void __launch_bounds__(64) elementwise_kernel0(
    const float* __restrict__ A,
    const float* __restrict__ B,
    float* __restrict__ C) {
  const int i_outer_outer = (int)blockIdx.x;
  const int i_outer_inner = (int)threadIdx.x;
  const int i_outer = i_outer_outer*64 + i_outer_inner;
  if (i_outer < 250) {
    const float4 A_vector = *(const float4*)&A[i_outer*4];
    const float4 B_vector = *(const float4*)&B[i_outer*4];
    *(float4*)&C[i_outer*4] = make_float4(nw_max_float32(A_vector.x*2.0f + B_vector.x, 0.0f), nw_max_float32(A_vector.y*2.0f + B_vector.y, 0.0f), nw_max_float32(A_vector.z*2.0f + B_vector.z, 0.0f), nw_max_float32(A_vector.w*2.0f + B_vector.w, 0.0f));
  }
}
