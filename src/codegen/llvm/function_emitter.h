// Emits the body of one LLVM function. Private to codegen/llvm.
//
// Every loop and let opens a scope, which has an anchor instruction at its start. A value is inserted before the anchor
// of the outermost scope that defines all its operands, and cached there. Loop invariants are thereby hoisted by
// construction: the search pipeline runs neither LICM nor strength reduction.
//
// Thread rule: an object belongs to one thread. Units: workspace sizes and offsets are in bytes, others in elements.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/analysis/never_nan.h"
#include "ir/traversal/linear.h"
#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright::codegen {

/// An offset or size in the workspace: `constant` bytes plus `symbolic` ones, undefined for none.
inline ir::Expr workspace_bytes(std::int64_t constant, const ir::Expr& symbolic) {
  return symbolic.defined() ? symbolic + ir::Expr(constant) : ir::Expr(constant);
}

/// A mask whose active lanes are those before `bound`, counted from `first` on: ramp(first, 1) < bound.
struct TailMask {
  ir::Expr first, bound;
};
std::optional<TailMask> tail_mask(const ir::Expr& mask);
/// Whether an end of the mask contains loaded values, so that the difference of the ends may wrap around.
bool holds_data(const TailMask& mask);

/// The state that the functions of one module share.
struct ModuleEmitter {
  llvm::Module& module;
  const ir::Program& program;
  const Target& target;
  ir::NeverNaN never_nan;  ///< of the program
  std::string symbol;
  std::vector<llvm::Function*> kernels;
  int parallel_loops = 0;
  std::string features;                  ///< LLVM features beyond the instruction set: "+avx512vnni,+avx512bf16"
  llvm::GlobalVariable* zero = nullptr;  ///< 8 bytes of zeros; null until it is needed
  /// Of each C function that is called: the type of its result, then those of its arguments. LLVM's types do not tell
  /// int8 from uint8, which are extended differently.
  std::map<std::string, std::vector<ir::Type>> c_signatures = {};

  /// A new function with the target's attributes.
  llvm::Function* create_function(const std::string& name, llvm::FunctionType* type, bool internal);
};

/// The pointers that every internal function has besides its tensors.
struct FunctionState {
  llvm::Value* shared_workspace = nullptr;  ///< start of the workspace
  llvm::Value* thread_workspace = nullptr;  ///< start of this thread's own part
  llvm::Value* parallel = nullptr;          ///< the nestwright_parallel; null inside a parallel loop
};

class FunctionEmitter {
 public:
  /// Opens the entry block. Variables and buffers bound before begin() are visible in the whole function.
  FunctionEmitter(ModuleEmitter& module, llvm::Function* function);

  void set_state(const FunctionState& state) { state_ = state; }
  llvm::IRBuilder<>& builder() { return builder_; }
  void bind(const ir::Var& var, llvm::Value* value);
  void bind(const ir::Buffer& buffer, llvm::Value* base);
  /// A buffer in the shared workspace, `offset` bytes from its start.
  void bind_shared(const ir::Buffer& buffer, const ir::Expr& offset);

  /// Opens the outermost scope.
  void begin();
  void emit(const ir::Stmt& stmt);
  llvm::Value* emit(const ir::Expr& expr);
  /// Closes the outermost scope, and fences non-temporal stores. The last block is left open: the caller returns.
  void finish();

 private:
  struct Address {
    llvm::Value* parent;
    std::vector<ir::LinearTerm> terms;
    llvm::Value* pointer;
  };
  struct Scope {
    llvm::Instruction* anchor;
    std::vector<Address> addresses;
    std::vector<std::pair<ir::Expr, llvm::Value*>> values;
  };
  struct Binding {
    ir::Var var;
    llvm::Value* value;
    int depth;
    int order;  ///< of binding: symbols may share a name
  };
  struct BufferBinding {
    llvm::Value* base;
    std::vector<ir::Expr> strides;
    /// The offset of a buffer in the shared workspace, whose address each function computes anew: two buffers may share
    /// memory at different times, so that neither may be a noalias parameter. Undefined for other buffers.
    ir::Expr workspace_offset;
    int order;  ///< of binding; closures list buffers in this order
  };
  /// The closure of a parallel loop. `values` has the tensors' bases, the variables' values, the loop's minimum, the
  /// two parts of the workspace, and the size of a thread's part.
  struct Captures {
    std::vector<std::pair<ir::Buffer, BufferBinding>> tensors, workspace;
    std::vector<Binding> vars;
    std::vector<llvm::Value*> values;
  };
  /// The decomposed address of buffer[indices].
  struct Access {
    ir::Linear offset;               ///< of lane 0
    std::int64_t lane_stride = 0;    ///< from lane to lane
    llvm::Value* offsets = nullptr;  ///< of all lanes, if there is no constant stride
    int lanes = 1;
  };

  // emit_stmt.cpp
  void emit_for(const ir::For& loop);
  void emit_serial(const ir::For& loop);
  void emit_parallel(const ir::For& loop);
  Captures capture(const ir::For& loop);
  llvm::Function* emit_parallel_body(const ir::For& loop, const std::string& name, const Captures& captures);
  llvm::Function* emit_parallel_stub(const std::string& name, llvm::Function* body, llvm::StructType* closure_type);
  void emit_if(const ir::IfThenElse& branch);
  void emit_allocate(const ir::Allocate& allocate);
  void emit_launch(const ir::Launch& launch);
  void bind_allocation(const ir::Allocate& allocate);
  void open_scope();
  void close_scope();
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  // address.cpp
  Access decompose(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices);
  llvm::Value* address(const ir::Buffer& buffer, const ir::Linear& offset);
  llvm::Value* lane_addresses(const ir::Buffer& buffer, const Access& access);
  llvm::Constant* zero_in_memory();
  llvm::Align alignment(const ir::Buffer& buffer, const ir::Linear& offset) const;
  llvm::Value* emit_sum(const std::vector<ir::LinearTerm>& terms);
  bool is_whole_in_tile(const ir::Buffer& buffer, const Access& access) const;
  llvm::Value* emit_load(const ir::Load& load, ir::Type type);
  void emit_store(const ir::Store& store);
  bool can_bypass_caches(const llvm::Type* type, llvm::Align align) const;
  void make_non_temporal(llvm::StoreInst* store);
  void emit_prefetch(const ir::Prefetch& prefetch);
  const BufferBinding& find(const ir::Buffer& buffer) const;

  // emit_expr.cpp
  llvm::Value* emit_binary(const ir::Binary& binary, ir::Type operands);
  /// `no_wrap`: integer overflow is undefined.
  llvm::Value* emit_operation(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type, bool no_wrap = false);
  llvm::Value* emit_floor_division(const ir::Binary& binary, ir::Type type);
  /// min or max. `a_is_number`, `b_is_number`: the operand is known not to be NaN.
  llvm::Value* emit_extremum(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type, bool a_is_number,
                             bool b_is_number);
  llvm::Value* emit_comparison(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type);
  llvm::Value* emit_cast(llvm::Value* value, ir::Type from, ir::Type to);
  llvm::Value* emit_ramp(const ir::Ramp& ramp, int lanes);
  llvm::Value* emit_mask(const ir::Expr& mask);
  /// The mask of a tail as a comparison of lane numbers; nullptr for any other mask.
  llvm::Value* emit_tail_mask(const ir::Expr& mask);
  /// Emits the value once, in the outermost scope that defines its operands.
  llvm::Value* emit_hoisted(const ir::Expr& expr);
  /// The innermost scope that defines one of its variables; -1 if the value must be computed in place.
  int depth_of(const ir::Expr& expr) const;

  // emit_narrow.cpp
  /// Whether the CPU has arithmetic and comparisons of the type.
  bool has_arithmetic(ir::Type type) const {
    return !type.is_narrow_float() ||
           (type.code == ir::TypeCode::kFloat && module_.target.has(CpuFeature::kAvx512Fp16));
  }
  /// Conversions to and from float32 with the same number of lanes.
  llvm::Value* widen(llvm::Value* value, ir::Type from);
  llvm::Value* narrow(llvm::Value* value, ir::Type to);
  llvm::Value* emit_narrow_operation(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type);

  // emit_intrinsic.cpp
  llvm::Value* emit_call(const ir::Call& call, ir::Type type);
  llvm::Value* emit_function(ir::Intrinsic function, const std::vector<llvm::Value*>& args, ir::Type type);
  llvm::Value* emit_round_tf32(llvm::Value* x, ir::Type type);
  llvm::Value* emit_bits(ir::Intrinsic function, llvm::Value* x, llvm::Value* y, ir::Type type);
  /// The vector of `type` whose lanes are call(the lanes of `args`).
  llvm::Value* lane_by_lane(const std::vector<llvm::Value*>& args, ir::Type type,
                            const std::function<llvm::Value*(const std::vector<llvm::Value*>& of_lane)>& call);
  llvm::Value* emit_call_extern(const ir::CallExtern& call, ir::Type type);
  llvm::Value* call_libm(const char* name, const std::vector<llvm::Value*>& args, ir::Type type);

  // emit_scale.cpp
  /// Requires float32 or float64.
  llvm::Value* emit_scale(llvm::Value* x, llvm::Value* n, ir::Type type);

  // emit_column.cpp
  /// The value of a strided load from a tile in registers, by shuffles of its rows; nullptr for any other access. Lanes
  /// past the end of the tile are poison.
  llvm::Value* emit_column(const ir::Buffer& buffer, const Access& access);

  // emit_strided.cpp
  /// The value of a load of global memory whose lanes are at most 4 elements apart; nullptr for any other access, and
  /// for a mask that is not a tail mask.
  llvm::Value* emit_strided(const ir::Load& load, const Access& access);

  // emit_dot.cpp
  llvm::Value* emit_join(const ir::Call& call);
  llvm::Value* emit_word_load(const ir::Call& call, int lanes);
  llvm::Value* emit_dot(const ir::Call& call);
  llvm::Value* emit_dot_instruction(const ir::Call& call, int lanes);
  llvm::Value* part_of(llvm::Value* word, int part, int bits, bool is_signed);

  // emit_tile.cpp
  void emit_tensor_instruction(const ir::TensorInstruction& instruction);
  void configure_tiles(const ir::TensorInstruction& instruction);

  llvm::Type* type_of(ir::Type type) const;
  llvm::Type* memory_type_of(ir::Type type) const;  ///< bool is a byte in memory
  llvm::Value* int64(std::int64_t value) { return builder_.getInt64(static_cast<std::uint64_t>(value)); }

  ModuleEmitter& module_;
  llvm::Function* function_;
  llvm::IRBuilder<> builder_;
  FunctionState state_;
  std::vector<Scope> scopes_;
  std::unordered_map<const void*, Binding> vars_;
  std::map<ir::Buffer, BufferBinding> buffers_;
  int next_order_ = 0;                    ///< of the next variable or buffer
  bool has_non_temporal_stores_ = false;  ///< which are weakly ordered, so that finish() fences them
  ir::Expr store_mask_;  ///< of the store whose value is being emitted; lanes that it disables need no defined value
};

}  // namespace nestwright::codegen
