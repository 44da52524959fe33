// Describes an instruction to the schedule: a small tensor expression, the pattern, which Stage::tensorize matches
// below a loop, and the statements that replace the match.
//
//   C[l] += A[k] * B[l, k] over 16 lanes l and 4 positions k, whose operands may be rows of larger tensors
//
// Thread rule: values; any thread that lowers may call emit and init.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "expression/tensor.h"
#include "ir/core/stmt.h"

namespace nestwright {

/// The part of a buffer that an input of the pattern, or its result, corresponds to. The pattern's dimensions are the
/// last dimensions of the buffer, beginning at `start`.
struct TensorSlice {
  Buffer buffer;
  std::vector<Expr> start;  ///< one index for each dimension of the buffer

  /// The element at `offsets`, one for each dimension of the pattern.
  Expr load(const std::vector<Expr>& offsets) const;
  ir::Stmt store(const std::vector<Expr>& offsets, Expr value) const;

 private:
  std::vector<Expr> indices(const std::vector<Expr>& offsets) const;
};

struct TensorIntrinsic {
  std::string name;  ///< its name in a trace
  /// A tensor of constant extents with one result, a reduction or not. An operand matches a placeholder of it by type,
  /// rank and, where the placeholder declares strides (which must be constant), strides of the last dimensions.
  Tensor pattern;
  std::vector<Tensor> inputs;  ///< the placeholders, in the order in which `emit` takes them
  /// Variables of the pattern, made by var(). Each stands for a value of its type that is the same in the whole tile,
  /// such as a factor that is read once. `emit` uses them, and the lowering substitutes the values.
  std::vector<Var> scalars;
  /// Statements in loop form for one tile. For a reduction, they combine the tile with the values already stored. They
  /// access the tiles alone, and buffers that they allocate; the lowering refuses others.
  std::function<ir::Stmt(const TensorSlice& output, std::span<const TensorSlice> inputs)> emit;
  /// Statements that set a tile to the reduction's identity. Absent: a loop over each axis does so.
  std::function<ir::Stmt(const TensorSlice& output)> init;
};

/// Dot products of four bytes, 16 at once: C[l] += A[k] * B[l, k] for l in 0..16, k in 0..4, of uint8 by int8 into
/// int32 that wraps around. One instruction on CPUs with AVX512_VNNI.
TensorIntrinsic dot_u8s8_16x4();

/// The built-in intrinsic of this name. Throws UsageError that lists the known names.
TensorIntrinsic find_tensor_intrinsic(const std::string& name);

}  // namespace nestwright
