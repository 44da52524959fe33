// Statements of the IR: immutable value handles over a small closed set of nodes. The grammar of programs is in
// ir/core/expr.h.
// Thread rule: handles are values that share immutable nodes, as those of expressions.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "ir/core/expr.h"

namespace nestwright::ir {

struct StmtNode;

/// Handle of a statement. A default-constructed one is undefined: it does nothing, as an absent `else` case.
class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(std::shared_ptr<const StmtNode> node) : node_(std::move(node)) {}
  bool defined() const { return node_ != nullptr; }
  const StmtNode& node() const { return *node_; }
  template <class T>
  const T* as() const NESTWRIGHT_LIFETIME_BOUND;
  bool same_as(const Stmt& other) const { return node_ == other.node_; }

 private:
  std::shared_ptr<const StmtNode> node_;
};

/// How the iterations of a loop run.
enum class LoopKind : std::uint8_t {
  kSerial,
  kParallel,    ///< iterations run in any order on several threads; they must not race
  kVectorized,  ///< one iteration per lane, in lockstep, statement by statement; constant extent; loop form only
  kUnrolled,    ///< one copy of the body per iteration; constant extent; not in the vector form of a CPU
  kBlockX,
  kBlockY,
  kBlockZ,  ///< bound to blockIdx
  kThreadX,
  kThreadY,
  kThreadZ,  ///< bound to threadIdx
  kVirtualThread,
};
const char* loop_kind_name(LoopKind kind);  // "for", "parallel", "vectorized", "unrolled", "blockIdx.x", ...
/// blockIdx, threadIdx or vthread.
inline bool is_bound(LoopKind kind) { return kind >= LoopKind::kBlockX; }
inline bool is_block_index(LoopKind kind) { return kind >= LoopKind::kBlockX && kind <= LoopKind::kBlockZ; }
/// threadIdx or vthread: iterations run within a block.
inline bool is_thread_index(LoopKind kind) { return is_bound(kind) && !is_block_index(kind); }
/// threadIdx: one thread of the device per iteration.
inline bool is_device_thread(LoopKind kind) { return is_thread_index(kind) && kind != LoopKind::kVirtualThread; }
/// 0, 1 or 2 for x, y or z. Requires blockIdx or threadIdx.
inline std::size_t dimension_of(LoopKind kind) {
  return static_cast<std::size_t>(kind) -
         static_cast<std::size_t>(is_block_index(kind) ? LoopKind::kBlockX : LoopKind::kThreadX);
}

struct For {
  Var var;
  Expr min, extent;  ///< var takes min .. min + extent - 1
  LoopKind kind = LoopKind::kSerial;
  Stmt body;
};
struct Block {
  std::vector<Stmt> stmts;  ///< in order; at least two, none undefined, none a Block: block() flattens
};
struct Let {
  Var var;
  Expr value;
  Stmt body;
};
struct IfThenElse {
  Expr condition;  ///< bool, scalar or of the lanes of an enclosing vectorised loop
  Stmt then_case, else_case;
};
/// buffer[indices] = value, for the lanes where `mask` holds (undefined: all). Indices as in Load.
struct Store {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  Expr mask;
  bool non_temporal = false;  ///< a hint: the elements are not read soon, so the store may bypass the caches
  /// For a copy from global to shared memory in a device kernel: the thread continues while the device copies. It waits
  /// for the copy at its next barrier or, where the copy is in a group (CommitCopies), at the barrier that waits for
  /// the group, and does not access the elements before. One access moves all lanes: 4, 8 or 16 bytes.
  bool asynchronous = false;
};
/// `buffer` exists within `body` and is uninitialised at the start. A global buffer lies in the workspace: `offset`
/// (bytes; -1 until storage is planned) is relative to the start of the shared part, or of each thread's own part where
/// `per_thread` is set. `symbolic_offset`, an expression of the program's symbols, is added to it where it is defined.
struct Allocate {
  Buffer buffer;
  Stmt body;
  std::int64_t offset = -1;
  bool per_thread = false;
  Expr symbolic_offset;
};
/// A hint that buffer[indices] will be accessed soon. It may point past the end: it never faults.
struct Prefetch {
  Buffer buffer;
  std::vector<Expr> indices;
  bool for_write = false;
  int locality = 3;  ///< from 3, all cache levels, to 0, non-temporal
};
/// The largest number of groups of copies that a thread may leave in flight at a barrier.
inline constexpr int kMaxPendingGroups = 7;

/// Commits a group of copies: the copies from global to shared memory that the thread has begun since its last barrier
/// or group. They are in flight until a barrier waits for the group; barriers wait for groups in order. No thread may
/// access an element whose copy is in flight.
struct CommitCopies {
  /// How many of a thread's latest groups may stay in flight at the barriers from here to the end of the loop.
  int pending = 0;
};
/// All threads of a block wait for each other, each after waiting for its own copies except the latest `pending`
/// groups.
struct Barrier {
  int pending = 0;
};
/// Runs kernel `kernel` of the program. Only in the host statement and the preparation.
struct Launch {
  int kernel = 0;
};

/// The operation of a tensor instruction. A comment lists the operands of each in order.
enum class TensorOp : std::uint8_t {
  // AMX. A tile is the number of a tile register, 0 .. 7; memory is its first element.
  kTileConfigure,  ///< rows and bytes per row of each tile in use, from tile 0 on
  kTileRelease,    ///< no operands
  kTileZero,       ///< tile
  kTileLoad,       ///< tile, memory, row stride in bytes
  kTileStore,      ///< tile, memory, row stride in bytes
  kTileMultiply,   ///< tiles of sums, of a, of b
  // mma.sync and ldmatrix, of a warp. A fragment is the first register that a thread holds of 8 rows.
  kFragmentFill,            ///< fragments of the upper and the lower 8 rows, value
  kFragmentLoad,            ///< fragments of the upper and the lower 8 rows, shared memory, row stride in bytes
  kFragmentLoadTransposed,  ///< the same, for rows that run across the reduction
  kFragmentMultiply,        ///< sums, upper and lower; a, upper and lower; b
  // wgmma, of a warpgroup.
  kWarpgroupFill,      ///< sums, the number of registers, value
  kWarpgroupMultiply,  ///< sums, upper and lower; a, strides between core matrices along and across the reduction in
                       ///< bytes; b, the same; steps. The product is asynchronous: nothing may access the sums before
                       ///< kWarpgroupAwait
  kWarpgroupAwait,     ///< sums, upper and lower
};
const char* tensor_op_name(TensorOp op);  // "tile_zero", "fragment_multiply", ...

struct Operand {
  Buffer buffer;  ///< undefined where the operand is the value of `at`
  Expr at;        ///< the offset of an element in memory, or the number of a register of a fragment
};
/// An instruction of the target that executes the loop nest `body`, which defines its meaning; an undefined body
/// computes nothing. The operands are what the nest accesses, as the instruction encodes it
/// (ir/verify/instructions.cpp). Vector form only: instruction selection creates it (lower/select/).
struct TensorInstruction {
  TensorOp op;
  std::vector<Operand> operands;
  Type type;                  ///< of the elements that are multiplied, filled, loaded or stored
  std::int64_t columns = 0;   ///< columns of the product, for kWarpgroupMultiply
  bool transposes_a = false;  ///< whether rows of the operand run across the reduction, for kWarpgroupMultiply
  bool transposes_b = false;
  bool swizzles_a = false;  ///< whether the operand's buffer is swizzled, as ir/gpu/swizzle.h says
  bool swizzles_b = false;
  Stmt body;
};

struct StmtNode {
  std::variant<For, Block, Let, IfThenElse, Store, Allocate, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction>
      value;
};

template <class T>
const T* Stmt::as() const {
  return std::get_if<T>(&node_->value);
}

/// The loop if `s` is a bound one; nullptr for any other statement, and for an undefined one.
const For* as_bound(const Stmt& s NESTWRIGHT_LIFETIME_BOUND);

// Making statements. A statement over an undefined body is undefined itself, so that dead code disappears.
Stmt make_for(Var var, Expr min, Expr extent, LoopKind kind, Stmt body);
/// Flattens nested blocks and drops undefined statements; a single statement is returned itself.
Stmt block(std::vector<Stmt> stmts);
Stmt make_let(Var var, Expr value, Stmt body);
Stmt make_if(Expr condition, Stmt then_case, Stmt else_case = {});
Stmt make_store(Buffer buffer, std::vector<Expr> indices, Expr value, Expr mask = {}, bool non_temporal = false);
/// The store of these fields. To rewrite a store, change a copy of its node, so that it keeps the other fields.
Stmt make_store(Store store);
/// `store` as an asynchronous copy. Requires an unmasked store of a load, from global to shared memory.
Stmt make_asynchronous(Store store);
Stmt make_allocate(Buffer buffer, Stmt body, std::int64_t offset = -1, bool per_thread = false,
                   Expr symbolic_offset = {});
/// `allocate` with another buffer or body.
Stmt with_body(const Allocate& allocate, Buffer buffer, Stmt body);
Stmt make_prefetch(Buffer buffer, std::vector<Expr> indices, bool for_write, int locality);
// The next two require 0 <= pending <= kMaxPendingGroups.
Stmt make_commit_copies(int pending);
Stmt make_barrier(int pending = 0);
Stmt make_launch(int kernel);
Stmt make_tensor_instruction(TensorInstruction instruction);

}  // namespace nestwright::ir
