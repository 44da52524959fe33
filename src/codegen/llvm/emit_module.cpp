#include <fmt/format.h>
#include <llvm/IR/Attributes.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>

#include "codegen/llvm/emit.h"
#include "codegen/llvm/function_emitter.h"
#include "ir/rewrite.h"
#include "support/error.h"

namespace nestwright::codegen {
namespace {

// Parameters of a kernel's function: the tensors, the symbols, then these.
constexpr unsigned kStateParameters = 3;

llvm::FunctionType* kernel_type(const ir::Program& program, llvm::LLVMContext& context) {
  auto* pointer = llvm::PointerType::getUnqual(context);
  std::vector<llvm::Type*> types(program.parameters.size(), pointer);
  types.insert(types.end(), program.symbols.size(), llvm::Type::getInt64Ty(context));
  types.insert(types.end(), kStateParameters, pointer);
  return llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
}

// Buffers allocated around the launches: every kernel may use them, at their place in the workspace.
void bind_host_allocations(const ir::Program& program, FunctionEmitter& emitter) {
  ir::for_each_stmt(program.host, [&](const ir::Stmt& stmt) {
    const auto* allocate = stmt.as<ir::Allocate>();
    if (allocate == nullptr) return;
    if (allocate->offset < 0) {
      throw CompileError(
          fmt::format("buffer {} has no place in the workspace: expand the program first", allocate->buffer->name));
    }
    emitter.bind_shared(allocate->buffer, workspace_bytes(allocate->offset, allocate->symbolic_offset));
  });
}

void emit_kernel(ModuleEmitter& module, const ir::Kernel& kernel, llvm::Function* function) {
  const ir::Program& program = module.program;
  FunctionEmitter emitter(module, function);
  unsigned next = 0;
  for (const ir::Parameter& parameter : program.parameters) {
    llvm::Argument* argument = function->getArg(next++);
    argument->setName(parameter.buffer->name);
    argument->addAttr(llvm::Attribute::NoAlias);
    argument->addAttr(llvm::Attribute::getWithAlignment(
        function->getContext(), llvm::Align(static_cast<std::uint64_t>(parameter.buffer->alignment))));
    emitter.bind(parameter.buffer, argument);
  }
  for (const ir::Var& symbol : program.symbols) emitter.bind(symbol, function->getArg(next++));
  // The two parts of the workspace do not overlap, nor do they overlap any tensor.
  function->getArg(next)->addAttr(llvm::Attribute::NoAlias);
  function->getArg(next + 1)->addAttr(llvm::Attribute::NoAlias);
  emitter.set_state({function->getArg(next), function->getArg(next + 1), function->getArg(next + 2)});
  bind_host_allocations(program, emitter);
  emitter.begin();
  emitter.emit(kernel.body);
  emitter.finish();
  emitter.builder().CreateRetVoid();
}

void emit_entry(ModuleEmitter& module) {
  const ir::Program& program = module.program;
  llvm::LLVMContext& context = module.module.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer, pointer, pointer}, false);
  llvm::Function* function = module.create_function(module.symbol, type, false);
  FunctionEmitter emitter(module, function);
  auto& builder = emitter.builder();
  llvm::Value *buffers = function->getArg(0), *symbols = function->getArg(1), *workspace = function->getArg(2);
  unsigned index = 0;
  for (const ir::Parameter& parameter : program.parameters) {
    emitter.bind(parameter.buffer,
                 builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(pointer, buffers, index++)));
  }
  index = 0;
  for (const ir::Var& symbol : program.symbols) {
    auto* slot = builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), symbols, index++);
    emitter.bind(symbol, builder.CreateLoad(builder.getInt64Ty(), slot));
  }
  const ir::Workspace& space = program.workspace;
  llvm::Value* shared_bytes =
      emitter.emit(round_up_64(workspace_bytes(space.shared_bytes, space.symbolic_shared_bytes)));
  llvm::Value* threads_part = builder.CreateInBoundsGEP(builder.getInt8Ty(), workspace, shared_bytes);
  emitter.set_state({workspace, threads_part, function->getArg(3)});
  emitter.begin();
  emitter.emit(program.host);
  emitter.finish();
  builder.CreateRet(builder.getInt32(0));
}

/// The feature as LLVM calls it.
constexpr const char* kVnni = "+avx512vnni";

/// Whether code for the target uses AVX512_VNNI: it is wanted, and the CPU that the target names has it.
bool has_vnni(const ir::Program& program, const Target& target, const llvm::TargetMachine& machine) {
  if (target.isa != CpuIsa::kAvx512 || target.llvm_cpu.empty()) return false;
  bool wanted = false;
  for (const ir::Kernel& kernel : program.kernels) {
    ir::for_each_expr(kernel.body, [&](const ir::Expr& e) {
      const auto* call = e.as<ir::Call>();
      wanted = wanted || (call != nullptr && call->intrinsic == ir::Intrinsic::kDotU8S8);
    });
  }
  if (!wanted) return false;
#if LLVM_VERSION_MAJOR >= 22
  const llvm::Triple& triple = machine.getTargetTriple();
#else
  const std::string triple = machine.getTargetTriple().str();
#endif
  const std::unique_ptr<llvm::MCSubtargetInfo> cpu(
      machine.getTarget().createMCSubtargetInfo(triple, target.llvm_cpu, ""));
  return cpu != nullptr && cpu->checkFeatures(kVnni);
}

}  // namespace

std::vector<std::string> extensions_of(const llvm::Module& module) {
  const bool has_vnni = std::any_of(module.begin(), module.end(), [](const llvm::Function& function) {
    return function.getFnAttribute("target-features").getValueAsString() == kVnni;
  });
  return has_vnni ? std::vector<std::string>{"avx512_vnni"} : std::vector<std::string>{};
}

const char* llvm_cpu_of(CpuIsa isa) {
  switch (isa) {
    case CpuIsa::kX86_64:
      return "x86-64";
    case CpuIsa::kAvx2:
      return "x86-64-v3";
    case CpuIsa::kAvx512:
      return "x86-64-v4";
  }
  return "x86-64";
}

llvm::Function* ModuleEmitter::create_function(const std::string& name, llvm::FunctionType* type, bool internal) {
  auto* function = llvm::Function::Create(
      type, internal ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage, name, module);
  function->addFnAttr("target-cpu", llvm_cpu_of(target.isa));
  if (!target.llvm_cpu.empty()) function->addFnAttr("tune-cpu", target.llvm_cpu);
  // Without both, LLVM may split 512-bit vectors into halves, which doubles the registers that a tile needs.
  const std::string width = std::to_string(target.vector_bits);
  function->addFnAttr("prefer-vector-width", width);
  function->addFnAttr("min-legal-vector-width", width);
  if (has_vnni) function->addFnAttr("target-features", kVnni);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (internal) function->addFnAttr(llvm::Attribute::NoInline);
  return function;
}

std::unique_ptr<llvm::Module> emit_module(const ir::Program& program, const Target& target, const std::string& symbol,
                                          const llvm::TargetMachine& machine, llvm::LLVMContext& context) {
  auto llvm_module = std::make_unique<llvm::Module>(symbol, context);
#if LLVM_VERSION_MAJOR >= 21
  llvm_module->setTargetTriple(machine.getTargetTriple());
#else
  llvm_module->setTargetTriple(machine.getTargetTriple().str());
#endif
  llvm_module->setDataLayout(machine.createDataLayout());
  llvm_module->setPICLevel(llvm::PICLevel::BigPIC);

  ModuleEmitter module{*llvm_module, program, target, symbol, {}, 0, has_vnni(program, target, machine)};
  for (const ir::Kernel& kernel : program.kernels) {
    module.kernels.push_back(module.create_function(symbol + "." + kernel.name, kernel_type(program, context), true));
  }
  for (std::size_t i = 0; i < program.kernels.size(); ++i) emit_kernel(module, program.kernels[i], module.kernels[i]);
  emit_entry(module);
  return llvm_module;
}

}  // namespace nestwright::codegen
