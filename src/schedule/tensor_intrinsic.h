// What an instruction computes, declared by whoever has one: a small tensor expression that Stage::tensorize looks for
// below a loop, and the statements that take its place.
//
//   A pattern of C[l] += A[k] * B[l, k] over 16 lanes l and 4 positions k, read from rows of larger tensors.
//
// Thread rule: values; emit and init are called by any thread that lowers.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "expression/tensor.h"
#include "ir/core/stmt.h"

namespace nestwright {

/// The part of a buffer that one placeholder of the pattern, or its result, stands for: the pattern's dimensions are
/// the last ones of the buffer, from `start` on.
struct TensorSlice {
  Buffer buffer;
  std::vector<Expr> start;  ///< one index a dimension of the buffer

  /// The element at `offsets`, one a dimension of the pattern.
  Expr load(const std::vector<Expr>& offsets) const;
  ir::Stmt store(const std::vector<Expr>& offsets, Expr value) const;

 private:
  std::vector<Expr> indices(const std::vector<Expr>& offsets) const;
};

struct TensorIntrinsic {
  std::string name;  ///< how a trace names it
  /// One result of constant extents; a reduction or not. Its placeholders are the inputs: each of a type, a rank and,
  /// where it declares strides, with constants that the buffer's last dimensions are required to have.
  Tensor pattern;
  std::vector<Tensor> inputs;  ///< the placeholders, in the order in which `emit` takes them
  /// Statements of the loop form for one tile; of a reduction, those that combine it with what is there.
  std::function<ir::Stmt(const TensorSlice& output, std::span<const TensorSlice> inputs)> emit;
  /// Sets a tile to the reduction's identity; absent: a loop for each axis does.
  std::function<ir::Stmt(const TensorSlice& output)> init;
};

/// Products of bytes summed in fours, 16 at once: C[l] += A[k] * B[l, k] for l in 0..16, k in 0..4, of uint8 and int8
/// into int32 that wraps around. One instruction where the CPU has AVX512_VNNI.
TensorIntrinsic dot_u8s8_16x4();

/// The built-in one of this name. Throws UsageError that lists them.
TensorIntrinsic find_tensor_intrinsic(const std::string& name);

}  // namespace nestwright
