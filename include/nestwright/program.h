// Programs: what a schedule is lowered to. Statements, the programs that they form, and functions that print, verify
// and interpret them. For those who inspect or transform programs. Not stable: nodes may be added.
//
// The grammar is in nestwright/expr_nodes.h. A program prints as a loop nest:
//
//   program matmul(A: float32[64, 32], B: float32[32, 48]) -> (C: float32[64, 48])
//     launch matmul
//     kernel matmul:
//       parallel i in 0..4:
//         register acc: float32[16, 48]
//         for k in 0..32:
//           unrolled ii in 0..16:
//             vectorized j in 0..48:
//               acc[ii, j] = acc[ii, j] + A[i*16 + ii, k]*B[k, j]
//
// Thread rule: handles are values that share immutable nodes, as those of expressions; the functions are pure, except
// that interpret() writes to the memory it is given. Units: sizes are in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "nestwright/expr_nodes.h"

#pragma GCC visibility push(default)

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
/// computes nothing. The operands are what the nest accesses, as the instruction encodes it. Vector form only:
/// instruction selection creates it.
struct TensorInstruction {
  TensorOp op;
  std::vector<Operand> operands;
  Type type;                  ///< of the elements that are multiplied, filled, loaded or stored
  std::int64_t columns = 0;   ///< columns of the product, for kWarpgroupMultiply
  bool transposes_a = false;  ///< whether rows of the operand run across the reduction, for kWarpgroupMultiply
  bool transposes_b = false;
  bool swizzles_a = false;  ///< whether the operand's buffer is swizzled
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

// --- Programs --------------------------------------------------------------------------------------------------------

/// DO NOT CHANGE THESE VALUES: they are part of the byte format.
enum class Role : std::uint8_t {
  kInput = 0,
  kOutput = 1,
  kPrepared = 2,  ///< stored by the preparation, read by every call; uninitialised, owned by the caller
};

/// A tensor that the caller passes. The parameters of the operator's definition come first, in their order, inputs
/// before outputs; then the prepared ones.
struct Parameter {
  Buffer buffer;
  Role role = Role::kInput;
  /// For an output, the number of the input that may be the same memory; -1 for none.
  int in_place_of = -1;
  /// For an input, whether only the preparation reads it, so that calls do not need it.
  bool is_constant = false;
  /// The extents of the caller's tensor if they are not the buffer's: it holds the same elements in the same order, and
  /// both are compact. nullopt: they are the buffer's.
  std::optional<std::vector<std::int64_t>> shape = {};
};

/// The number of elements of a tensor with these extents; nullopt if one is negative or their product exceeds int64.
std::optional<std::int64_t> count_elements(const std::vector<std::int64_t>& shape);

struct Kernel {
  std::string name;
  Stmt body;
};

/// The alignment of a workspace, of the buffers in it and of each thread's part of it.
inline constexpr std::int64_t kWorkspaceAlignment = 64;
/// `bytes` rounded up to a multiple of kWorkspaceAlignment.
std::int64_t aligned_workspace_bytes(std::int64_t bytes);
Expr aligned_workspace_bytes(const Expr& bytes);

/// Memory that the caller provides besides the tensors, in bytes, aligned to kWorkspaceAlignment. Buffers whose size
/// depends on the program's symbols follow those of constant size; their total size, an expression of the symbols, is
/// added to the constant one (undefined: there are none).
struct Workspace {
  std::int64_t shared_bytes = 0;
  std::int64_t per_thread_bytes = 0;
  Expr symbolic_shared_bytes, symbolic_per_thread_bytes;

  bool is_symbolic() const { return symbolic_shared_bytes.defined() || symbolic_per_thread_bytes.defined(); }
};

/// A condition on the symbols, beyond that they are at least 1: `slack` >= 0. The caller must guarantee it.
struct Requirement {
  Expr slack;
  std::string why;  ///< what fails otherwise, as a message says it
};

/// `host` is a statement of loops and launches; on the CPU it is often the launch of one kernel. `preparation` is such
/// a statement that runs once, before any number of calls: it reads constant inputs and stores prepared parameters
/// (packed weights, for example). All kernels can access all parameters.
struct Program {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Var> symbols;  ///< symbolic extents and strides, bound at the call, in this order
  std::vector<Requirement> requirements;
  Workspace workspace;  ///< filled in by expand()
  Stmt preparation;     ///< undefined where nothing is prepared
  Stmt host;
  std::vector<Kernel> kernels;
};

// --- Printing --------------------------------------------------------------------------------------------------------
// Names that clash get a number appended.

std::string to_string(const Expr& e);
std::string to_string(const Stmt& s);
std::string to_string(const Program& p);

// --- Verifying -------------------------------------------------------------------------------------------------------

enum class Form : std::uint8_t {
  kLoop,
  kVector,        ///< the vector form of a CPU
  kDeviceVector,  ///< the vector form of a device, whose compiler unrolls loops
};

/// The violations of the rules below, one sentence each that names the statement; none if the program is sound:
///  - variables are defined exactly once and before use, types and lanes agree, indices match the buffer's rank
///  - buffers are parameters or allocated around their use; nothing stores to an input
///  - accesses are within bounds, given guards and masks; one that cannot be proved to be is reported
///  - an output or an allocation is read only where a statement before may have written it
///  - a local or register buffer belongs to one iteration of every parallel loop and to one thread; a shared buffer is
///    allocated inside the loops over blocks
///  - where two iterations of a parallel, bound or vectorised loop share a buffer, they do not access the same element
///    while one of them writes it
///  - a shuffle occurs in the vector form of a device, as the whole value of a store to memory that is private to a
///    thread, in control flow that is uniform across the warp
///  - a tensor instruction is one of the form's target, and its operands are what its body accesses
///  - no element whose copy is in flight is accessed, and stores to fragments are warp-uniform
///  - two buffers that are live at the same time share no bytes of the workspace
///  - loop form: no vector values; vector form: no vectorised or unrolled loop, register buffers at constant indices;
///    of a device: no vectorised loop, none over virtual threads, register buffers at indices of unrolled loops
/// Symbols are assumed to be at least 1 and to meet the program's requirements.
std::vector<std::string> verify(const Program& program, Form form);

// --- Interpreting ----------------------------------------------------------------------------------------------------

/// One element: `f` for the floating-point types (every one is exact in a double), `i` for integers and bools. An
/// uint64 is kept as its bit pattern.
union Scalar {
  std::int64_t i;
  double f;
};

inline Scalar integer_scalar(std::int64_t value) { return Scalar{.i = value}; }
inline Scalar float_scalar(double value) { return Scalar{.f = value}; }

/// The memory of a parameter, in bytes. Every access is checked against its size.
using Memory = std::span<std::byte>;

/// A C function for the interpreter: its value for arguments of the types of the call.
using ExternFunction = std::function<Scalar(std::span<const Scalar> args)>;

struct InterpretOptions {
  std::uint64_t seed = 1;  ///< seed of the random order of parallel iterations
  /// By name, the C functions that the program calls (call_extern). A call of any other is an Error.
  std::map<std::string, ExternFunction> functions;
};

/// Interprets `program`, its preparation first, on `arguments` (one for each parameter that is not prepared, in order)
/// with `symbols` (one value for each symbol): slow and obviously correct, the reference for every lowering. Parallel
/// and bound loops run their iterations in a random order under a race detector. Throws Error, which names the
/// statement, for an access out of bounds, an uninitialised read or a race.
void interpret(const Program& program, std::span<const Memory> arguments, std::span<const std::int64_t> symbols = {},
               const InterpretOptions& options = {});

}  // namespace nestwright::ir

#pragma GCC visibility pop
