// Workloads and targets that the tests of GPU templates use: small ones of odd sizes, some for every operator.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "nestwright/registry.h"
#include "tests/support/soak.h"

namespace nestwright::testing_gpu {

inline const std::vector<std::string>& workloads() {
  static const std::vector<std::string> list = {
      "matmul m=1 n=1 k=1",
      "matmul m=37 n=29 k=23",
      "matmul m=32 n=32 k=32 ta=1",
      "matmul m=20 n=35 k=17 tb=1",
      "matmul m=33 n=16 k=40 ta=1 tb=1",
      "matmul m=1 n=96 k=70",
      "matmul m=48 n=1 k=65",
      "matmul m=24 n=40 k=16 dtype=float64",
      "matmul m=19 n=24 k=32 dtype=float16",
      "matmul m=16 n=21 k=33 tb=1 dtype=bfloat16",
      "matmul m=34 n=32 k=32 ta=1 dtype=float16",
      "matmul m=24 n=20 k=40 tb=1 dtype=uint8",
      "matmul m=32 n=16 k=64 dtype=int8",
      "matmul m=9 n=18 k=27 ta=1 dtype=uint8",
      "matmul m=70 n=24 k=40 dtype=bfloat16",
      "matmul m=53 n=16 k=21 ta=1 tb=1 dtype=float16",
      "matmul m=64 n=20 k=64 dtype=int8",
      "matmul m=64 n=32 k=160 dtype=float16",
      "matmul m=16 n=24 k=128",
      "matmul m=24 n=32 k=32 precision=tf32",
      "matmul m=19 n=17 k=21 ta=1 tb=1 precision=tf32",
      "matmul m=40 n=18 k=12 batch=2 lda=14 ldb=20 ldc=22 sc=900 alpha=2 beta=0.5 epilogue=bias_relu precision=tf32",
      "matmul m=5 n=9 k=14 tb=1 precision=tf32",
      "matmul m=13 n=12 k=20 batch=3 alpha=2 beta=0.5 epilogue=bias_residual_relu",
      "matmul m=16 n=8 k=32 batch=2 lda=36 ldb=12 ldc=20 sc=400 epilogue=bias_gelu",
      "matmul m=8 n=12 k=19 beta=1 ldc=15",
      "matmul m=8 n=8 k=8 prepared=b",
      "elementwise function=multiply shape=1",
      "elementwise function=gelu shape=1021",
      "elementwise function=add_relu shape=5x7x64",
      "broadcast function=add rows=1 columns=1",
      "broadcast function=add_gelu rows=9 columns=97",
      "broadcast function=multiply rows=61 columns=48 vector=column",
      "transpose rows=1 columns=1",
      "transpose rows=64 columns=32",
      "transpose rows=37 columns=53",
      "transpose rows=19 columns=2 dtype=float64",
      "transpose rows=1 columns=67 dtype=float64",
      "reduce function=sum shape=1 axes=0",
      "reduce function=sum shape=4096 axes=0",
      "reduce function=mean shape=53x70 axes=1",
      "reduce function=max shape=3x1000 axes=1 dtype=float64",
      "reduce function=sum shape=53x70 axes=0,1",
      "reduce function=mean shape=48x100 axes=0",
      "reduce function=mean shape=700x3 axes=0",
      "reduce function=max shape=5x6x7x33 axes=1,3",
      "reduce function=min shape=5x6x7x33 axes=0,2 dtype=float64",
      "reduce function=sum shape=3x1x2x1 axes=1",
      "softmax rows=1 columns=1",
      "softmax rows=5 columns=37",
      "softmax rows=17 columns=128",
      "softmax rows=2 columns=1030",
      "layer_norm rows=1 columns=1",
      "layer_norm rows=5 columns=48",
      "layer_norm rows=7 columns=101 epsilon=0.001",
      "layer_norm rows=18 columns=32 dtype=float64",
      "conv2d n=1 c=1 h=1 w=1 k=1 r=1 s=1",
      "conv2d n=1 c=3 h=7 w=6 k=5 r=3 s=3 pad=1",
      "conv2d n=2 c=8 h=6 w=7 k=16 r=3 s=2 stride=2 layout=NHWC epilogue=bias_relu",
      "conv2d n=1 c=4 h=8 w=11 k=6 r=2 s=3 stride_w=3 pad=2 pad_left=0 pad_bottom=1 pad_right=3",
      "conv2d n=2 c=2 h=9 w=10 k=3 r=3 s=3 pad=2 dilation=2 dilation_w=3 layout=NHWC",
      "conv2d n=1 c=6 h=5 w=5 k=9 r=3 s=3 pad=1 groups=3 epilogue=bias",
      "conv2d n=1 c=8 h=5 w=4 k=8 r=3 s=3 pad=1 groups=2 layout=NHWC dtype=float16",
      "conv2d n=3 c=17 h=4 w=3 k=12 r=1 s=1 dtype=int8 epilogue=relu",
      "depthwise_conv2d n=1 c=1 h=1 w=1 r=1 s=1",
      "depthwise_conv2d n=2 c=5 h=7 w=6 r=3 s=3 pad=1 epilogue=bias_relu",
      "depthwise_conv2d n=1 c=3 h=9 w=8 multiplier=2 r=3 s=2 stride=2 pad=1 pad_right=0",
      "depthwise_conv2d n=1 c=8 h=7 w=9 multiplier=3 r=2 s=3 stride_w=2 dilation=2 dilation_w=1 pad=1 layout=NHWC",
      "depthwise_conv2d n=1 c=6 h=5 w=8 r=3 s=3 pad=1 layout=NHWC dtype=float64",
      "scan function=sum steps=10 columns=1024",
      "scan function=max steps=7 columns=37 dtype=float64",
      "scan function=product steps=2 columns=1",
      "scan function=sum steps=1 columns=40",
  };
  return list;
}

/// Workloads for which the interpreter takes too long, with the tiles of large products.
inline const std::vector<std::string>& large_workloads() {
  static const std::vector<std::string> list = {
      "matmul m=260 n=256 k=64",
      "matmul m=131 n=140 k=70 tb=1 dtype=bfloat16",
      "matmul m=256 n=128 k=96 dtype=float16",
      "matmul m=128 n=192 k=128 tb=1 dtype=int8",
      "matmul m=150 n=136 k=72 tb=1 precision=tf32",
      "softmax rows=3 columns=5000",
      "conv2d n=2 c=40 h=27 w=30 k=96 r=3 s=3 pad=1 epilogue=bias_relu",
      "conv2d n=1 c=32 h=30 w=26 k=64 r=3 s=3 pad=1 stride=2 layout=NHWC",
      "depthwise_conv2d n=1 c=48 h=61 w=64 r=5 s=5 pad=2 layout=NHWC",
      "scan function=sum steps=50 columns=5000",
  };
  return list;
}

inline Target cuda() { return Target::parse("cuda,arch=sm_90"); }
inline Target opencl() { return Target::parse("opencl"); }

/// NESTWRIGHT_GPU_SAMPLES=N in the environment: a soak, of N configurations for each template and target.
inline bool is_soak() { return std::getenv("NESTWRIGHT_GPU_SAMPLES") != nullptr; }
inline int samples() { return is_soak() ? std::max(1, std::atoi(std::getenv("NESTWRIGHT_GPU_SAMPLES"))) : 8; }

/// The samples that a run compiles and executes, which is slow: all samples() of a soak, else a slice of 4 of 200.
inline testing::CaseRange slice_of_samples() {
  return is_soak() ? testing::CaseRange{0, samples()} : testing::slice_of(200, 50);
}

/// samples() divided among the workloads of an operator.
inline int samples_of(const std::string& op) {
  int of_operator = 0;
  for (const std::string& text : workloads()) of_operator += text.starts_with(op + " ") ? 1 : 0;
  return (samples() + of_operator - 1) / of_operator;
}

}  // namespace nestwright::testing_gpu
