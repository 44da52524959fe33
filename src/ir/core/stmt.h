// Statements of the IR: immutable value handles over a small closed set of nodes.
// Thread rule: as for expressions, handles are values that share immutable nodes.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "ir/core/expr.h"

namespace nestwright::ir {

struct StmtNode;

/// Handle of a statement. A default-constructed one is undefined: it does nothing, and an absent `else` is one.
class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(std::shared_ptr<const StmtNode> node) : node_(std::move(node)) {}
  bool defined() const { return node_ != nullptr; }
  const StmtNode& node() const { return *node_; }
  template <class T>
  const T* as() const;
  bool same_as(const Stmt& other) const { return node_ == other.node_; }

 private:
  std::shared_ptr<const StmtNode> node_;
};

/// How the iterations of a loop run.
enum class LoopKind : std::uint8_t {
  kSerial,
  kParallel,    ///< iterations in any order on several threads; they must not race
  kVectorized,  ///< one iteration a lane, in lockstep, statement by statement; constant extent; gone in the vector form
  kUnrolled,    ///< a copy of the body an iteration; constant extent; gone in the vector form
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
/// threadIdx or vthread: what runs within a block.
inline bool is_thread_index(LoopKind kind) { return is_bound(kind) && !is_block_index(kind); }
/// threadIdx: a thread of the device an iteration.
inline bool is_device_thread(LoopKind kind) { return is_thread_index(kind) && kind != LoopKind::kVirtualThread; }
/// 0, 1 or 2 for x, y or z of blockIdx or threadIdx, which it requires.
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
  Expr condition;  ///< scalar bool, or of the lanes of an enclosing vector once vectorised
  Stmt then_case, else_case;
};
/// buffer[indices] = value, for the lanes where `mask` holds (undefined: all). Indices as in Load.
struct Store {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  Expr mask;
  bool non_temporal = false;  ///< a hint: nobody reads it soon, so that it need not go through the caches
  /// Of a copy from global to shared memory, in kernels for devices: the thread goes on while the device copies, and
  /// waits for it at its next barrier, or where it is in a group (CommitCopies) at the one that waits for the group.
  /// The thread does not access the elements before. One access moves all lanes: 4, 8 or 16 bytes.
  bool asynchronous = false;
};
/// `buffer` exists within `body`, its contents undefined at the start. A global one lies in the workspace: `offset`
/// (bytes, -1 until storage is planned) counts from the start of the shared part, or of each thread's own part where
/// `per_thread` is set. `symbolic_offset`, where defined, is to be added: an expression of the program's symbols.
struct Allocate {
  Buffer buffer;
  Stmt body;
  std::int64_t offset = -1;
  bool per_thread = false;
  Expr symbolic_offset;
};
/// A hint that buffer[indices] will be read soon. May point past the end: it never faults.
struct Prefetch {
  Buffer buffer;
  std::vector<Expr> indices;
  bool for_write = false;
  int locality = 3;  ///< 3: all cache levels ... 0: none (non-temporal)
};
/// Groups of copies that a thread may leave in flight at a barrier.
inline constexpr int kMaxPendingGroups = 7;

/// Ends a group of copies: those from global to shared memory that the thread began since its last barrier or group,
/// and that need not be done before the thread waits for the group, in order, at a barrier. Nobody may access an
/// element whose copy is in flight.
struct CommitCopies {
  /// A barrier behind it, up to the end of the loop, may leave so many of a thread's groups in flight, the latest ones.
  int pending = 0;
};
/// All threads of a block wait for each other, each first for its own copies but the latest `pending` groups.
struct Barrier {
  int pending = 0;
};
/// Host only: runs kernel `kernel` of the program.
struct Launch {
  int kernel = 0;
};

/// What a tensor instruction does. The operands of each are listed behind it, in order.
enum class TensorOp : std::uint8_t {
  // AMX. A tile is the number of a tile register, 0 .. 7; memory is its first element.
  kTileConfigure,  ///< rows and bytes a row of each tile that is in use, from tile 0 on
  kTileRelease,    ///< none
  kTileZero,       ///< tile
  kTileLoad,       ///< tile, memory, bytes from row to row
  kTileStore,      ///< tile, memory, bytes from row to row
  kTileMultiply,   ///< tiles of sums, of a, of b
  // mma.sync and ldmatrix, of a warp. A fragment is the first of the registers that a thread has of 8 rows.
  kFragmentFill,            ///< fragments of the upper and the lower 8 rows, value
  kFragmentLoad,            ///< fragments of the upper and the lower 8 rows, shared memory, bytes from row to row
  kFragmentLoadTransposed,  ///< the same, of rows that run across the reduction
  kFragmentMultiply,        ///< sums, upper and lower; a, upper and lower; b
  // wgmma, of a warpgroup.
  kWarpgroupFill,      ///< sums, the number of registers, value
  kWarpgroupMultiply,  ///< sums, upper and lower; a, bytes from core to core along and across the reduction; b, the
                       ///< same; steps. Begins the product: nothing accesses the sums before kWarpgroupAwait
  kWarpgroupAwait,     ///< sums, upper and lower
};
const char* tensor_op_name(TensorOp op);  // "tile_zero", "fragment_multiply", ...

struct Operand {
  Buffer buffer;  ///< undefined: the operand is the value of `at`
  Expr at;        ///< in memory the offset of an element, in a fragment the number of a register
};
/// A loop nest that one instruction of the target executes, `body`, whose meaning it has; undefined where it computes
/// nothing. The operands say how the instruction is given what the loops access (ir/verify/instructions.h). Vector form
/// only: instruction selection makes them (lower/select/).
struct TensorInstruction {
  TensorOp op;
  std::vector<Operand> operands;
  Type type;                  ///< of the elements that are multiplied, filled, loaded or stored
  std::int64_t columns = 0;   ///< of the product, kWarpgroupMultiply
  bool transposes_a = false;  ///< whether rows of the operand run across the reduction, kWarpgroupMultiply
  bool transposes_b = false;
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

// Making statements. Those over an undefined body are undefined themselves, so that dead code falls away.
Stmt make_for(Var var, Expr min, Expr extent, LoopKind kind, Stmt body);
/// Flattens nested blocks and drops undefined statements; one statement is returned as it is.
Stmt block(std::vector<Stmt> stmts);
Stmt make_let(Var var, Expr value, Stmt body);
Stmt make_if(Expr condition, Stmt then_case, Stmt else_case = {});
Stmt make_store(Buffer buffer, std::vector<Expr> indices, Expr value, Expr mask = {}, bool non_temporal = false);
/// The same store as an asynchronous copy. Requires an unmasked store of a load, from global to shared memory.
Stmt make_asynchronous(Store store);
Stmt make_allocate(Buffer buffer, Stmt body, std::int64_t offset = -1, bool per_thread = false,
                   Expr symbolic_offset = {});
/// The same allocation over another buffer or body.
Stmt with_body(const Allocate& allocate, Buffer buffer, Stmt body);
Stmt make_prefetch(Buffer buffer, std::vector<Expr> indices, bool for_write, int locality);
/// Both require 0 <= pending <= kMaxPendingGroups.
Stmt make_commit_copies(int pending);
Stmt make_barrier(int pending = 0);
Stmt make_launch(int kernel);
Stmt make_tensor_instruction(TensorInstruction instruction);

}  // namespace nestwright::ir
