#include <fmt/format.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/in_place.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

// A larger array on the stack is neither a register tile, nor does it stay in the first-level cache.
constexpr std::int64_t kMaxLocalBytes = 16 << 10;

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* function)
    : module_(module), function_(function), builder_(function->getContext()) {
  llvm::FastMathFlags flags;
  flags.setAllowContract(true);  // a*b+c may become one fma; nothing else is allowed
  builder_.setFastMathFlags(flags);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(function->getContext(), "entry", function));
}

void FunctionEmitter::begin() { open_scope(); }

void FunctionEmitter::finish() {
  check(scopes_.size() == 1, "a scope was left open");
  close_scope();
  if (has_non_temporal_stores_) builder_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

void FunctionEmitter::bind(const ir::Var& var, llvm::Value* value) {
  value->setName(var.name());
  vars_[var.id()] = {var, value, std::max(depth(), 0), next_order_++};
}

void FunctionEmitter::bind(const ir::Buffer& buffer, llvm::Value* base) {
  std::vector<ir::Expr> strides;
  for (int d = 0; d < buffer->rank(); ++d) strides.push_back(buffer->stride(d));
  const int order = next_order_++;
  buffers_[buffer] = {base, std::move(strides), {}, order};
}

void FunctionEmitter::bind_shared(const ir::Buffer& buffer, const ir::Expr& offset) {
  bind(buffer, builder_.CreateInBoundsGEP(builder_.getInt8Ty(), state_.shared_workspace, emit(offset)));
  buffers_[buffer].workspace_offset = offset;
}

void FunctionEmitter::open_scope() {
  // A placeholder instruction, which close_scope() removes.
  auto* zero = builder_.getInt32(0);
  auto* anchor = llvm::BinaryOperator::CreateAdd(zero, zero);
  builder_.Insert(anchor);
  scopes_.push_back({anchor, {}, {}});
}

void FunctionEmitter::close_scope() {
  std::erase_if(vars_, [this](const auto& entry) { return entry.second.depth == depth(); });
  scopes_.back().anchor->eraseFromParent();
  scopes_.pop_back();
}

void FunctionEmitter::emit(const ir::Stmt& stmt) {
  if (!stmt.defined()) return;
  std::visit(ir::overloaded{
                 [&](const ir::For& n) { emit_for(n); },
                 [&](const ir::Block& n) {
                   for (const ir::Stmt& s : n.stmts) emit(s);
                 },
                 [&](const ir::Let& n) {
                   llvm::Value* value = emit(n.value);
                   open_scope();
                   vars_[n.var.id()] = {n.var, value, depth(), next_order_++};
                   emit(n.body);
                   close_scope();
                 },
                 [&](const ir::IfThenElse& n) { emit_if(n); },
                 [&](const ir::Store& n) { emit_store(n); },
                 [&](const ir::Allocate& n) { emit_allocate(n); },
                 [&](const ir::Prefetch& n) { emit_prefetch(n); },
                 [&](const ir::CommitCopies&) { throw CompileError("a group of copies needs a GPU"); },
                 [&](const ir::Barrier&) { throw CompileError("a barrier needs the threads of a GPU's block"); },
                 [&](const ir::Launch& n) { emit_launch(n); },
                 [&](const ir::TensorInstruction& n) { emit_tensor_instruction(n); },
             },
             stmt.node().value);
}

void FunctionEmitter::emit_for(const ir::For& loop) {
  if (loop.kind == ir::LoopKind::kSerial) return emit_serial(loop);
  if (loop.kind == ir::LoopKind::kParallel) {
    return ir::is_const_int(loop.extent, 1) ? emit_serial(loop) : emit_parallel(loop);
  }
  throw CompileError(fmt::format("loop {} is {}: the CPU runs serial and parallel loops; expand the program first",
                                 loop.var.name(), ir::loop_kind_name(loop.kind)));
}

// Emits a loop that tests at its end, with a guard unless it certainly has an iteration.
void FunctionEmitter::emit_serial(const ir::For& loop) {
  llvm::LLVMContext& context = function_->getContext();
  const std::int64_t* extent = ir::as_const_int(loop.extent);
  if (extent != nullptr && *extent <= 0) return;
  llvm::Value* first = emit(loop.min);
  llvm::Value* end = builder_.CreateAdd(first, emit(loop.extent), "", false, true);
  auto* body = llvm::BasicBlock::Create(context, loop.var.name(), function_);
  auto* exit = llvm::BasicBlock::Create(context, loop.var.name() + ".end", function_);
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  if (extent != nullptr) {
    builder_.CreateBr(body);
  } else {
    builder_.CreateCondBr(builder_.CreateICmpSLT(first, end), body, exit);
  }

  builder_.SetInsertPoint(body);
  llvm::PHINode* var = builder_.CreatePHI(first->getType(), 2);
  var->addIncoming(first, before);
  open_scope();
  bind(loop.var, var);
  emit(loop.body);
  close_scope();
  llvm::Value* next = builder_.CreateAdd(var, llvm::ConstantInt::get(var->getType(), 1), "", false, true);
  var->addIncoming(next, builder_.GetInsertBlock());
  llvm::BranchInst* latch = builder_.CreateCondBr(builder_.CreateICmpSLT(next, end), body, exit);
  auto* no_unroll = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* properties = llvm::MDNode::getDistinct(context, {nullptr, no_unroll});
  properties->replaceOperandWith(0, properties);
  latch->setMetadata(llvm::LLVMContext::MD_loop, properties);
  builder_.SetInsertPoint(exit);
}

// Emits parallel->run(pool, tasks, stub, closure), where the stub unpacks the closure and calls the body, whose tensors
// are noalias parameters again.
void FunctionEmitter::emit_parallel(const ir::For& loop) {
  if (state_.parallel == nullptr) {
    throw CompileError(
        fmt::format("parallel loop {} is inside another parallel loop: make one of them serial", loop.var.name()));
  }
  const std::int64_t* extent = ir::as_const_int(loop.extent);
  if (extent != nullptr && *extent > std::numeric_limits<std::int32_t>::max()) {
    throw CompileError(fmt::format("parallel loop {} has {} iterations, at most {} are supported: split it",
                                   loop.var.name(), *extent, std::numeric_limits<std::int32_t>::max()));
  }
  llvm::LLVMContext& context = function_->getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  const std::string name = fmt::format("{}.{}{}", module_.symbol, loop.var.name(), module_.parallel_loops++);
  const Captures captures = capture(loop);
  std::vector<llvm::Type*> types;
  for (llvm::Value* value : captures.values) types.push_back(value->getType());
  auto* closure_type = llvm::StructType::get(context, types);
  llvm::Function* body = emit_parallel_body(loop, name, captures);
  llvm::Function* stub = emit_parallel_stub(name + ".task", body, closure_type);

  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  llvm::AllocaInst* closure = entry.CreateAlloca(closure_type);
  for (unsigned i = 0; i < captures.values.size(); ++i) {
    builder_.CreateStore(captures.values[i], builder_.CreateStructGEP(closure_type, closure, i));
  }
  auto* abi = llvm::StructType::get(context, {pointer, builder_.getInt32Ty(), pointer});
  auto* run_type =
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, builder_.getInt32Ty(), pointer, pointer}, false);
  llvm::Value* pool = builder_.CreateLoad(pointer, builder_.CreateStructGEP(abi, state_.parallel, 0));
  llvm::Value* run = builder_.CreateLoad(pointer, builder_.CreateStructGEP(abi, state_.parallel, 2));
  llvm::Value* tasks = builder_.CreateTrunc(emit(loop.extent), builder_.getInt32Ty());
  builder_.CreateCall(run_type, run, {pool, tasks, stub, closure});
}

// All values in scope are captured: they are few, and those that the body does not use cost nothing there.
FunctionEmitter::Captures FunctionEmitter::capture(const ir::For& loop) {
  Captures captures;
  for (const auto& entry : buffers_) {
    (entry.second.workspace_offset.defined() ? captures.workspace : captures.tensors).push_back(entry);
  }
  const auto by_order = [](const auto& a, const auto& b) { return a.second.order < b.second.order; };
  std::sort(captures.tensors.begin(), captures.tensors.end(), by_order);
  std::sort(captures.workspace.begin(), captures.workspace.end(), by_order);
  for (const auto& [id, binding] : vars_) captures.vars.push_back(binding);
  std::sort(captures.vars.begin(), captures.vars.end(), [](const Binding& a, const Binding& b) {
    return std::tuple(a.depth, a.var.name(), a.order) < std::tuple(b.depth, b.var.name(), b.order);
  });
  for (const auto& [buffer, binding] : captures.tensors) captures.values.push_back(binding.base);
  for (const Binding& binding : captures.vars) captures.values.push_back(binding.value);
  captures.values.push_back(emit(loop.min));
  captures.values.push_back(state_.shared_workspace);
  captures.values.push_back(state_.thread_workspace);
  const ir::Workspace& space = module_.program.workspace;
  captures.values.push_back(
      emit(ir::aligned_workspace_bytes(workspace_bytes(space.per_thread_bytes, space.symbolic_per_thread_bytes))));
  return captures;
}

// The body's parameters are the captured values, without the size of a thread's workspace, then the task.
llvm::Function* FunctionEmitter::emit_parallel_body(const ir::For& loop, const std::string& name,
                                                    const Captures& captures) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* value : captures.values) types.push_back(value->getType());
  types.back() = builder_.getInt64Ty();
  llvm::Function* body =
      module_.create_function(name, llvm::FunctionType::get(builder_.getVoidTy(), types, false), true);
  FunctionEmitter inner(module_, body);
  unsigned next = 0;
  for (const auto& [buffer, binding] : captures.tensors) {
    llvm::Argument* argument = body->getArg(next++);
    if (!ir::may_share_memory(module_.program, buffer)) argument->addAttr(llvm::Attribute::NoAlias);
    argument->addAttr(llvm::Attribute::getWithAlignment(function_->getContext(),
                                                        llvm::Align(static_cast<std::uint64_t>(buffer->alignment))));
    argument->setName(buffer->name);
    inner.bind(buffer, argument);
  }
  for (const Binding& binding : captures.vars) inner.bind(binding.var, body->getArg(next++));
  llvm::Value* first = body->getArg(next++);
  body->getArg(next)->addAttr(llvm::Attribute::NoAlias);
  body->getArg(next + 1)->addAttr(llvm::Attribute::NoAlias);
  inner.state_ = {body->getArg(next), body->getArg(next + 1), nullptr};
  for (const auto& [buffer, binding] : captures.workspace) inner.bind_shared(buffer, binding.workspace_offset);
  inner.bind(loop.var, inner.builder_.CreateAdd(first, body->getArg(next + 2), "", false, true));
  inner.begin();
  inner.emit(loop.body);
  inner.finish();
  inner.builder_.CreateRetVoid();
  return body;
}

// A nestwright_body, which computes the start of the thread's part of the workspace from its size.
llvm::Function* FunctionEmitter::emit_parallel_stub(const std::string& name, llvm::Function* body,
                                                    llvm::StructType* closure_type) {
  auto* pointer = llvm::PointerType::getUnqual(function_->getContext());
  auto* type =
      llvm::FunctionType::get(builder_.getVoidTy(), {builder_.getInt32Ty(), builder_.getInt32Ty(), pointer}, false);
  llvm::Function* stub = module_.create_function(name, type, true);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(function_->getContext(), "entry", stub));
  std::vector<llvm::Value*> args;
  for (unsigned i = 0; i < closure_type->getNumElements(); ++i) {
    args.push_back(b.CreateLoad(closure_type->getElementType(i), b.CreateStructGEP(closure_type, stub->getArg(2), i)));
  }
  llvm::Value* thread = b.CreateSExt(stub->getArg(1), b.getInt64Ty());
  llvm::Value* part = b.CreateMul(thread, args.back());
  args.pop_back();
  args.back() = b.CreateInBoundsGEP(b.getInt8Ty(), args.back(), part);
  args.push_back(b.CreateSExt(stub->getArg(0), b.getInt64Ty()));
  b.CreateCall(body, args);
  b.CreateRetVoid();
  return stub;
}

void FunctionEmitter::emit_if(const ir::IfThenElse& branch) {
  if (!branch.condition.type().is_scalar()) {
    throw CompileError("a branch on a vector condition must become masks first: expand the program");
  }
  llvm::LLVMContext& context = function_->getContext();
  auto* then_block = llvm::BasicBlock::Create(context, "then", function_);
  auto* end = llvm::BasicBlock::Create(context, "endif", function_);
  auto* else_block = branch.else_case.defined() ? llvm::BasicBlock::Create(context, "else", function_) : end;
  builder_.CreateCondBr(emit(branch.condition), then_block, else_block);
  builder_.SetInsertPoint(then_block);
  emit(branch.then_case);
  builder_.CreateBr(end);
  if (branch.else_case.defined()) {
    builder_.SetInsertPoint(else_block);
    emit(branch.else_case);
    builder_.CreateBr(end);
  }
  builder_.SetInsertPoint(end);
}

void FunctionEmitter::emit_allocate(const ir::Allocate& allocate) {
  if (allocate.buffer->scope == ir::Scope::kTile) return emit(allocate.body);
  const bool known = buffers_.count(allocate.buffer) != 0;
  bind_allocation(allocate);
  emit(allocate.body);
  if (!known)
    buffers_.erase(
        allocate.buffer);  // a later closure must not capture a tile's address, which would keep it in memory
}

void FunctionEmitter::bind_allocation(const ir::Allocate& allocate) {
  const ir::Buffer& buffer = allocate.buffer;
  if (buffer->scope == ir::Scope::kShared) {
    throw CompileError(
        fmt::format("buffer {} is shared by the threads of a block, which the CPU does not have", buffer->name));
  }
  if (buffer->scope == ir::Scope::kGlobal) {
    if (buffers_.count(buffer) != 0) return;  // the host's allocation, bound before begin()
    if (allocate.offset < 0) {
      throw CompileError(
          fmt::format("buffer {} has no place in the workspace: expand the program first", buffer->name));
    }
    const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(scopes_.front().anchor);
    const ir::Expr offset = workspace_bytes(allocate.offset, allocate.symbolic_offset);
    if (!allocate.per_thread) return bind_shared(buffer, offset);
    return bind(buffer, builder_.CreateInBoundsGEP(builder_.getInt8Ty(), state_.thread_workspace, emit(offset)));
  }
  const std::int64_t bytes = buffer->elements() * buffer->element.bytes();
  if (bytes > kMaxLocalBytes) {
    throw CompileError(fmt::format("{} buffer {} takes {} bytes, at most {} fit: use a smaller tile or global scope",
                                   ir::scope_name(buffer->scope), buffer->name, bytes, kMaxLocalBytes));
  }
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  auto* type = llvm::ArrayType::get(memory_type_of(buffer->element), static_cast<std::uint64_t>(buffer->elements()));
  llvm::AllocaInst* array = entry.CreateAlloca(type, nullptr, buffer->name);
  array->setAlignment(llvm::Align(static_cast<std::uint64_t>(std::max(buffer->alignment, 1))));
  bind(buffer, array);
}

void FunctionEmitter::emit_launch(const ir::Launch& launch) {
  check(launch.kernel >= 0 && launch.kernel < static_cast<int>(module_.kernels.size()),
        "launch of a kernel that is not there");
  std::vector<llvm::Value*> args;
  for (const ir::Parameter& parameter : module_.program.parameters) args.push_back(find(parameter.buffer).base);
  for (const ir::Var& symbol : module_.program.symbols) args.push_back(emit(ir::Expr(symbol)));
  args.push_back(state_.shared_workspace);
  args.push_back(state_.thread_workspace);
  args.push_back(state_.parallel);
  builder_.CreateCall(module_.kernels[static_cast<std::size_t>(launch.kernel)], args);
}

}  // namespace nestwright::codegen
