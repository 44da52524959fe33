#include <fmt/format.h>
#include <llvm/IR/Attributes.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <optional>

#include "codegen/llvm/emit.h"
#include "codegen/llvm/function_emitter.h"
#include "ir/analysis/in_place.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

// The last parameters of a kernel's function, after the tensors and the symbols.
constexpr unsigned kStateParameters = 3;

llvm::FunctionType* kernel_type(const ir::Program& program, llvm::LLVMContext& context) {
  auto* pointer = llvm::PointerType::getUnqual(context);
  std::vector<llvm::Type*> types(program.parameters.size(), pointer);
  types.insert(types.end(), program.symbols.size(), llvm::Type::getInt64Ty(context));
  types.insert(types.end(), kStateParameters, pointer);
  return llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
}

// Binds buffers allocated around the launches, which every kernel may use, to their offsets in the workspace.
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
    if (!ir::may_share_memory(program, parameter.buffer)) argument->addAttr(llvm::Attribute::NoAlias);
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

/// Emits the nestwright_kernel `name`, which executes the host statement `host`.
void emit_entry(ModuleEmitter& module, const std::string& name, const ir::Stmt& host) {
  const ir::Program& program = module.program;
  llvm::LLVMContext& context = module.module.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer, pointer, pointer}, false);
  llvm::Function* function = module.create_function(name, type, false);
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
      emitter.emit(ir::aligned_workspace_bytes(workspace_bytes(space.shared_bytes, space.symbolic_shared_bytes)));
  llvm::Value* threads_part = builder.CreateInBoundsGEP(builder.getInt8Ty(), workspace, shared_bytes);
  emitter.set_state({workspace, threads_part, function->getArg(3)});
  emitter.begin();
  emitter.emit(host);
  emitter.finish();
  builder.CreateRet(builder.getInt32(0));
}

/// A feature and LLVM's name of it.
struct NamedFeature {
  CpuFeature feature;
  const char* name;
};
constexpr NamedFeature kFeatures[] = {{CpuFeature::kAvx512Vnni, "+avx512vnni"},
                                      {CpuFeature::kAvx512Bf16, "+avx512bf16"},
                                      {CpuFeature::kAvx512Fp16, "+avx512fp16"},
                                      {CpuFeature::kAmxBf16, "+amx-bf16"},
                                      {CpuFeature::kAmxInt8, "+amx-int8"}};
constexpr const char* kTiles = "+amx-tile";

/// The optional CPU feature that an expression requires; absent if none.
std::optional<CpuFeature> feature_of(const ir::Expr& e, bool in_tiles) {
  const auto* binary = e.as<ir::Binary>();
  if (binary != nullptr && binary->a.type().element() == kFloat16) return CpuFeature::kAvx512Fp16;
  const auto* call = e.as<ir::Call>();
  if (call == nullptr) return std::nullopt;
  using enum ir::Intrinsic;
  const ir::Intrinsic intrinsic = call->intrinsic;
  if (intrinsic == kDotBF16 || intrinsic == kVdpbf16ps)
    return in_tiles ? CpuFeature::kAmxBf16 : CpuFeature::kAvx512Bf16;
  const bool is_product =
      ir::is_dot(intrinsic) || intrinsic == kVpdpbusd || intrinsic == kVpdpwssd || intrinsic == kPmaddwd;
  if (!is_product) return std::nullopt;
  return in_tiles ? CpuFeature::kAmxInt8 : CpuFeature::kAvx512Vnni;
}

/// The target's features beyond its instruction set that the program uses, in LLVM's syntax.
std::string features_used(const ir::Program& program, const Target& target) {
  CpuFeatures used;
  bool uses_tiles = false;
  for (const ir::Kernel& kernel : program.kernels) {
    ir::for_each_stmt(kernel.body, [&](const ir::Stmt& s) {
      const auto* store = s.as<ir::Store>();
      const auto* let = s.as<ir::Let>();
      if (store == nullptr && let == nullptr) return;
      const bool in_tiles = store != nullptr && store->buffer->scope == ir::Scope::kTile;
      uses_tiles = uses_tiles || in_tiles;
      ir::for_each_expr(store != nullptr ? store->value : let->value, [&](const ir::Expr& e) {
        const auto feature = feature_of(e, in_tiles);
        if (feature && target.has(*feature)) used.add(*feature);
      });
    });
  }
  std::string text = uses_tiles ? kTiles : "";
  for (const NamedFeature& named : kFeatures) {
    if (used.has(named.feature)) text += (text.empty() ? "" : ",") + std::string(named.name);
  }
  return text;
}

}  // namespace

std::vector<std::string> extensions_of(const llvm::Module& module) {
  const auto is_used = [&](const char* name) {
    return std::any_of(module.begin(), module.end(), [&](const llvm::Function& function) {
      return function.getFnAttribute("target-features").getValueAsString().contains(name);
    });
  };
  std::vector<std::string> extensions;
  for (const NamedFeature& named : kFeatures) {
    if (named.feature == CpuFeature::kAmxBf16 && is_used(kTiles)) extensions.emplace_back("amx_tile");
    if (is_used(named.name)) extensions.emplace_back(name_of(named.feature));
  }
  return extensions;
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
  // Without both attributes LLVM may split 512-bit vectors into halves, which doubles the registers that a tile needs.
  const std::string width = std::to_string(target.vector_bits);
  function->addFnAttr("prefer-vector-width", width);
  function->addFnAttr("min-legal-vector-width", width);
  if (!features.empty()) function->addFnAttr("target-features", features);
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

  ModuleEmitter module{
      *llvm_module, program, target, ir::NeverNaN(program), symbol, {}, 0, features_used(program, target), nullptr};
  for (const ir::Kernel& kernel : program.kernels) {
    module.kernels.push_back(module.create_function(symbol + "." + kernel.name, kernel_type(program, context), true));
  }
  for (std::size_t i = 0; i < program.kernels.size(); ++i) emit_kernel(module, program.kernels[i], module.kernels[i]);
  emit_entry(module, symbol, program.host);
  if (program.preparation.defined()) emit_entry(module, preparation_symbol(symbol), program.preparation);
  return llvm_module;
}

}  // namespace nestwright::codegen
