// Fragments (Scope::kFragment) in a kernel's source: which registers of a thread are which elements, and the loop nests
// that are one call, which all threads of a warp make together.
//
//   for i in 0..16: for j in 0..8: T[i, j] = 0                                       fill
//   for i in 0..16: for k in 0..16: A[i, k] = S[i, k]                                load, from shared memory
//   for k in 0..16: for i in 0..16: A[k, i] = S[k, i]                                load
//   for i in 0..16: for k in 0..8: A[i, k] = round_tf32(S[i, k])                     load, of float32
//   for k in 0..8: for i in 0..16: A[k, i] = round_tf32(S[k, i])                     load
//   for i in 0..16: for j in 0..8: for k in 0..16: T[i, j] += A[i, k] * B[k, j]      multiply
//
// A fragment is made up of matrices of 8 rows. Of one that is multiplied a row is 16 bytes along the reduction, and
// thread (x, y) has the 4 bytes at 4x of row y as one register; either dimension of a stage may be the rows. Of sums it
// has the columns 2x and 2x + 1 of row y of 8. (PTX ISA, "Matrix Fragments for mma.m16n8k8", "... m16n8k16", "...
// m16n8k32".) Bytes have 32 steps where halves have 16, above, and float32, of which tf32 is multiplied, has 8.
// Products of matrices in shared memory are those of warpgroup_product.h.
// Any other statement may read the sums, each thread those that it has. Thread rule: immutable once made.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/core/stmt.h"
#include "ir/simplify/simplify.h"

namespace nestwright::codegen {

/// threadIdx.z, along which warps lie; undefined where there is none, as for one whose extent is no constant.
struct WarpIndex {
  ir::Var var;
  std::int64_t count = 1;
  std::map<ir::Var, ir::Expr> made_of;  ///< variables that are made of it, and their values in it
};

struct FragmentCall {
  /// kMultiplyShared begins products; nobody touches their sums before kAwait.
  enum class Kind : std::uint8_t { kFill, kFillAll, kLoad, kLoadTransposed, kMultiply, kMultiplyShared, kAwait } kind;
  struct Argument {
    ir::Buffer buffer;  ///< undefined: the argument is a value
    ir::Expr at;        ///< the register of the buffer, or its element, to which the argument points; or the value
  };
  std::vector<Argument> arguments;
  ir::Type type;  ///< of the elements that are multiplied
  /// Of kMultiplyShared: the product's columns, and whether rows of the operand run across the reduction.
  std::int64_t columns = 0;
  bool across_a = false, across_b = false;
};

class Fragments {
 public:
  explicit Fragments(const ir::Stmt& kernel);

  /// Registers that a thread has for the buffer, and their type. Throws CompileError for what is no such matrix.
  std::int64_t registers(const ir::Buffer& buffer) const;
  ir::Type register_type(const ir::Buffer& buffer) const;
  /// The register that holds an element of sums. Throws CompileError unless it is one that the thread itself has.
  ir::Expr own_register(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, const ir::Ranges& known) const;
  /// The call that `loop` is, with what is inside it; nothing where it is an ordinary loop. Throws CompileError for a
  /// nest that stores to a fragment and is none.
  std::optional<FragmentCall> call_of(const ir::For& loop) const;
  /// Whether there are products of matrices in shared memory.
  bool multiply_shared() const { return !of_warpgroups_.empty(); }

 private:
  struct Nest;
  struct Tile;

  Tile tile_of(const Nest& nest, const ir::Buffer& buffer, const std::vector<ir::Expr>& indices) const;
  ir::Expr register_of(const Tile& tile, int row) const;
  FragmentCall load_of(const Nest& nest, const ir::Load& load) const;
  FragmentCall product_of(const Nest& nest) const;
  std::int64_t side(const ir::Buffer& buffer, int dimension) const;
  bool is_lanes(const ir::Expr& e) const;
  bool is_sums(const ir::Buffer& buffer) const;

  ir::Var x_, y_;  ///< of the warp's threads
  WarpIndex warps_;
  std::set<ir::Buffer> of_warpgroups_;   ///< sums of products of matrices in shared memory
  std::map<ir::Buffer, bool> operands_;  ///< that are multiplied: whether the reduction is their last dimension
};

}  // namespace nestwright::codegen
