// Which register of which thread holds which element of a fragment (Scope::kFragment), a matrix that the 32 threads of
// a warp hold together.
//
// A fragment consists of matrices of 8 rows. In an operand of a product a row is 16 bytes along the reduction, and
// thread (x, y) holds the 4 bytes at 4x of row y as one register; either of the last two dimensions may be the
// reduction. In sums it holds columns 2x and 2x + 1 of row y, in two registers. Registers are in the order of the
// matrices, row by row; rows of an operand lie across the reduction. (PTX ISA, "Matrix Fragments for mma.m16n8k8",
// "... m16n8k16", "... m16n8k32".)
// Thread rule: immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/analysis/ranges.h"
#include "ir/core/stmt.h"

namespace nestwright::ir {

/// The threads of a warp: threadIdx.x, which differs fastest, and threadIdx.y. Warps lie along threadIdx.z.
inline constexpr std::int64_t kWarpX = 4, kWarpY = 8;
/// Rows of the matrices that a fragment consists of, and columns of those of sums.
inline constexpr std::int64_t kFragmentSide = 8;
/// Bytes of a row of the matrices of an operand.
inline constexpr std::int64_t kOperandRowBytes = 16;

/// sum + a * b, as it is stored to a fragment; a and b may be read through a cast.
struct FragmentProduct {
  const Load *sum = nullptr, *a = nullptr, *b = nullptr;  ///< nullptr: not of this form
  bool is_product() const { return a != nullptr && b != nullptr; }
  bool is_of_shared() const { return a->buffer->scope == Scope::kShared && b->buffer->scope == Scope::kShared; }
};
FragmentProduct as_fragment_product(const Expr& value);

/// The loops around one store to a fragment, outermost first; `store` is nullptr where `outermost` is no such nest.
struct FragmentNest {
  std::vector<const For*> loops;
  const Store* store = nullptr;

  explicit FragmentNest(const For& outermost);
};

/// Position of a matrix in a fragment: matrices before it across and along the reduction (rows and columns of sums),
/// and the number of its slice by the dimensions before the last two.
struct MatrixPosition {
  Expr row, column;
  Expr slice = Expr(0);
};

/// The fragments of one kernel. Every function throws LowerError for a buffer that is no such matrix.
class FragmentLayout {
 public:
  explicit FragmentLayout(const Stmt& kernel);

  /// Whether the buffer is an operand of a product, and if so whether its last dimension is the reduction.
  std::optional<bool> reduces_last(const Buffer& buffer) const;
  bool is_sums(const Buffer& buffer) const;
  /// Registers that each thread has for the buffer, and their type.
  std::int64_t registers(const Buffer& buffer) const;
  Type register_type(const Buffer& buffer) const;
  /// Elements of a matrix along a dimension, one of the last two.
  std::int64_t side(const Buffer& buffer, int dimension) const;
  /// The first register of the matrix `rows_below` rows of matrices below `position`.
  Expr register_of(const Buffer& buffer, const MatrixPosition& position, int rows_below = 0) const;
  /// The register that holds an element of sums. Throws LowerError unless the thread at hand has it.
  Expr own_register(const Buffer& buffer, const std::vector<Expr>& indices, const Ranges& known) const;

 private:
  void find_operands(const For& loop);
  bool mentions_lane(const Expr& e) const;

  Var x_, y_;                        ///< threadIdx.x and threadIdx.y
  std::map<Buffer, bool> operands_;  ///< whether the reduction is their last dimension
};

/// Whether the kernel allocates a fragment.
bool has_fragments(const Stmt& kernel);

/// Whether the kernel has instructions of warpgroups on matrices in shared memory (TensorOp::kWarpgroupMultiply).
bool multiplies_by_warpgroups(const Stmt& kernel);

/// Why a product is none of those that there are instructions for.
inline constexpr const char* kNoFragmentProduct =
    "what is added to it is no product of two matrices of float16, bfloat16 or tf32 in float32, or of bytes by int8 in "
    "int32";

/// Throws LowerError: "buffer NAME is kept in fragment scope, but WHY".
[[noreturn]] void refuse_fragment(const Buffer& buffer, const std::string& why);

/// Whether all coefficients and the constant are multiples of `factor`, and the sum divided by it, which requires that.
bool is_multiple(const Linear& sum, std::int64_t factor);
Expr divided(Linear sum, std::int64_t by);

/// The extent of a dimension of a fragment. Throws LowerError where it is not constant.
std::int64_t fragment_extent(const Buffer& buffer, int dimension);

/// Whether there is a product of elements of types `a` and `b` added to sums of type `sums`.
bool can_multiply(Type a, Type b, Type sums);

}  // namespace nestwright::ir
