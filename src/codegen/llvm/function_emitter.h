// Emits the body of one LLVM function. Private to codegen/llvm.
//
// Scopes. Every loop and let opens a scope. A scope has an anchor, an instruction at its start; values that depend on
// nothing defined further in are inserted before the anchor of their scope and remembered there. So loop invariants
// leave their loops by construction, which matters because the search pipeline runs neither LICM nor strength
// reduction.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/core/linear.h"
#include "ir/core/program.h"
#include "target/target.h"

namespace nestwright::codegen {

/// A place or size in the workspace: `constant` bytes and `symbolic` ones, undefined where there are none.
inline ir::Expr workspace_bytes(std::int64_t constant, const ir::Expr& symbolic) {
  return symbolic.defined() ? symbolic + ir::Expr(constant) : ir::Expr(constant);
}
inline ir::Expr round_up_64(const ir::Expr& bytes) { return (bytes + 63) / ir::Expr(64) * ir::Expr(64); }

/// What the functions of one module share.
struct ModuleEmitter {
  llvm::Module& module;
  const ir::Program& program;
  const Target& target;
  std::string symbol;
  std::vector<llvm::Function*> kernels;
  int parallel_loops = 0;
  std::string features;  ///< that LLVM is told of beyond the instruction set: "+avx512vnni,+avx512bf16"

  /// A function with the attributes that the target asks for.
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
  /// Opens the entry block. What is bound before begin() is known everywhere in the function.
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
  /// Closes the outermost scope; what went round the caches is in memory from here on. The block at the end is left
  /// open: the caller returns.
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
  };
  struct BufferBinding {
    llvm::Value* base;
    std::vector<ir::Expr> strides;
    /// Of a buffer in the shared workspace, whose address each function computes anew: two of them may share memory at
    /// different times, so that neither may be a noalias parameter. Undefined for others.
    ir::Expr workspace_offset;
    int order;  ///< of binding: closures list buffers in this order
  };
  /// buffer[indices], taken apart.
  struct Access {
    ir::Linear offset;               ///< of lane 0, in elements
    std::int64_t lane_stride = 0;    ///< elements from lane to lane
    llvm::Value* offsets = nullptr;  ///< of all lanes, where they are in no regular pattern
    int lanes = 1;
  };

  // emit_stmt.cpp
  void emit_for(const ir::For& loop);
  void emit_serial(const ir::For& loop);
  void emit_parallel(const ir::For& loop);
  void emit_if(const ir::IfThenElse& branch);
  void emit_allocate(const ir::Allocate& allocate);
  void emit_launch(const ir::Launch& launch);
  void bind_allocation(const ir::Allocate& allocate);
  void open_scope();
  void close_scope();
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  // address.cpp
  Access take_apart(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices);
  llvm::Value* address(const ir::Buffer& buffer, const ir::Linear& offset);
  llvm::Value* lane_addresses(const ir::Buffer& buffer, const Access& access);
  llvm::Align alignment(const ir::Buffer& buffer, const ir::Linear& offset) const;
  llvm::Value* emit_sum(const std::vector<ir::LinearTerm>& terms);
  bool is_whole_in_tile(const ir::Buffer& buffer, const Access& access) const;
  llvm::Value* emit_load(const ir::Load& load, ir::Type type);
  void emit_store(const ir::Store& store);
  bool is_streamable(const llvm::Type* type, llvm::Align align) const;
  void stream(llvm::StoreInst* store);
  void emit_prefetch(const ir::Prefetch& prefetch);
  const BufferBinding& find(const ir::Buffer& buffer) const;

  // emit_expr.cpp
  llvm::Value* emit_binary(const ir::Binary& binary, ir::Type operands);
  llvm::Value* emit_operation(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type);
  llvm::Value* emit_floor_division(const ir::Binary& binary, ir::Type type);
  llvm::Value* emit_comparison(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type);
  llvm::Value* emit_cast(llvm::Value* value, ir::Type from, ir::Type to);
  llvm::Value* emit_ramp(const ir::Ramp& ramp, int lanes);
  llvm::Value* emit_mask(const ir::Expr& mask);
  llvm::Value* emit_tail_mask(const ir::Binary& less);
  /// In the outermost scope where it can be computed, once.
  llvm::Value* emit_hoisted(const ir::Expr& expr);
  /// The scope that defines the last of its variables; -1 where it must be computed where it stands.
  int depth_of(const ir::Expr& expr) const;

  // emit_narrow.cpp
  /// Whether the CPU adds, multiplies and compares values of the type.
  bool has_arithmetic(ir::Type type) const {
    return !type.is_narrow_float() ||
           (type.code == ir::TypeCode::kFloat && module_.target.has(CpuFeature::kAvx512Fp16));
  }
  /// To and from float32, of as many lanes.
  llvm::Value* widen(llvm::Value* value, ir::Type from);
  llvm::Value* narrow(llvm::Value* value, ir::Type to);
  llvm::Value* emit_narrow_operation(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type);

  // emit_intrinsic.cpp
  llvm::Value* emit_call(const ir::Call& call, ir::Type type);
  llvm::Value* emit_function(ir::Intrinsic function, const std::vector<llvm::Value*>& args, ir::Type type);
  llvm::Value* emit_round_tf32(llvm::Value* x, ir::Type type);
  llvm::Value* call_libm(const char* name, const std::vector<llvm::Value*>& args, ir::Type type);

  // emit_scale.cpp
  /// Requires float32 or float64.
  llvm::Value* emit_scale(llvm::Value* x, llvm::Value* n, ir::Type type);

  // emit_column.cpp
  /// What a strided access to a tile in registers reads, by shuffles of its rows; nullptr for any other access. Lanes
  /// that lie past the end of the tile are poison.
  llvm::Value* emit_column(const ir::Buffer& buffer, const Access& access);

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
  int next_order_ = 0;
  bool streams_ = false;  ///< there are stores that go round the caches, and the order of stores
  ir::Expr store_mask_;   ///< of the store whose value is being emitted: lanes that it turns off are seen by nobody
};

}  // namespace nestwright::codegen
