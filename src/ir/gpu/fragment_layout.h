// The register layout of fragments (Scope::kFragment): which thread of a warp holds which element of the matrix that
// the warp holds together, and in which of its registers.
//
// A fragment consists of matrices of 8 rows. In an operand of a product a row has 16 bytes along the reduction, and
// thread (x, y) holds the 4 bytes at 4x of row y in one register; either of the last two dimensions can be the
// reduction. In an accumulator the thread holds columns 2x and 2x + 1 of row y, in two registers. Registers are
// numbered in the order of the matrices, row by row; in an operand, the row number counts across the reduction. (PTX
// ISA, "Matrix Fragments for mma.m16n8k8", "... m16n8k16", "... m16n8k32".)
// Thread rule: immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/ranges.h"
#include "nestwright/program.h"

namespace nestwright::ir {

/// The extents of a warp along threadIdx.x, the fastest dimension, and threadIdx.y. Warps lie along threadIdx.z.
inline constexpr std::int64_t kWarpX = 4, kWarpY = 8;
/// Rows of the matrices that a fragment consists of, and columns of those of an accumulator.
inline constexpr std::int64_t kFragmentSide = 8;
/// Bytes of a row of the matrices that an operand consists of.
inline constexpr std::int64_t kOperandRowBytes = 16;

/// The loads of sum + a * b, the value of a store to a fragment; a and b may be cast.
struct FragmentProduct {
  const Load *sum = nullptr, *a = nullptr, *b = nullptr;  ///< nullptr: the value has another form
  bool is_product() const { return a != nullptr && b != nullptr; }
  bool is_of_shared() const { return a->buffer->scope == Scope::kShared && b->buffer->scope == Scope::kShared; }
};
FragmentProduct as_fragment_product(const Expr& value);

/// A perfect nest of serial or unrolled loops around one store to a fragment, outermost loop first. `store` is nullptr
/// where `outermost` is not the root of such a nest.
struct FragmentNest {
  std::vector<const For*> loops;
  const Store* store = nullptr;

  explicit FragmentNest(const For& outermost);
};

/// Position of a matrix in a fragment: the number of matrices before it across and along the reduction (rows and
/// columns of an accumulator), and the number of its slice by the dimensions before the last two.
struct MatrixPosition {
  Expr row, column;
  Expr slice = Expr(0);
};

/// The fragments of one kernel. Every function throws LowerError for a buffer that cannot be held as a fragment.
class FragmentLayout {
 public:
  explicit FragmentLayout(const Stmt& kernel);

  /// Whether the last dimension of an operand is its reduction; absent for a buffer that is not an operand.
  std::optional<bool> reduces_last(const Buffer& buffer) const;
  /// Whether the buffer is an accumulator.
  bool is_accumulator(const Buffer& buffer) const;
  /// The number of registers that each thread holds of the buffer, and their type.
  std::int64_t registers(const Buffer& buffer) const;
  Type register_type(const Buffer& buffer) const;
  /// Elements of one matrix along a dimension of the buffer, one of the last two.
  std::int64_t side(const Buffer& buffer, int dimension) const;
  /// The first register of the matrix `rows_below` rows of matrices below `position`.
  Expr register_of(const Buffer& buffer, const MatrixPosition& position, int rows_below = 0) const;
  /// The register that holds an element of an accumulator. Throws LowerError unless the executing thread holds it.
  Expr own_register(const Buffer& buffer, const std::vector<Expr>& indices, const Ranges& known) const;

 private:
  void find_operands(const For& loop);
  bool mentions_lane(const Expr& e) const;

  Var x_, y_;                        ///< threadIdx.x and threadIdx.y
  std::map<Buffer, bool> operands_;  ///< whether the reduction is their last dimension
};

/// Whether the kernel allocates a fragment.
bool has_fragments(const Stmt& kernel);

/// Whether the kernel has warpgroup instructions (TensorOp::kWarpgroupMultiply).
bool multiplies_by_warpgroups(const Stmt& kernel);

/// Why there is no instruction for a product, as a message says it.
inline constexpr const char* kNoFragmentProduct =
    "what is added to it is no product of two matrices of float16, bfloat16 or tf32 in float32, or of bytes by int8 in "
    "int32";

/// Throws LowerError: "buffer NAME is kept in fragment scope, but WHY".
[[noreturn]] void refuse_fragment(const Buffer& buffer, const std::string& why);

/// The extent of a dimension of a fragment. Throws LowerError where it is not constant.
std::int64_t fragment_extent(const Buffer& buffer, int dimension);

/// Whether an instruction multiplies elements of types `a` and `b` and accumulates in type `sums`.
bool can_multiply(Type a, Type b, Type sums);

}  // namespace nestwright::ir
