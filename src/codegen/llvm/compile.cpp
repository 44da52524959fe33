// Compiles LLVM IR to machine code, by one of two pipelines of different cost.
#include <fmt/format.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cctype>
#include <mutex>

#include "codegen/llvm/emit.h"
#include "codegen/llvm/llvm_backend.h"
#include "ir/analysis/preparation.h"
#include "nestwright/error.h"
#include "support/base/cpp_names.h"

namespace nestwright::codegen {
namespace {

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target, Pipeline pipeline) {
  const std::string triple = llvm::sys::getDefaultTargetTriple();
  std::string error;
  const llvm::Target* llvm_target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (llvm_target == nullptr) throw CompileError(fmt::format("LLVM has no code generator for {}: {}", triple, error));
  const auto level = pipeline == Pipeline::kSearch ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Aggressive;
  llvm::TargetOptions options;
#if LLVM_VERSION_MAJOR >= 21
  const llvm::Triple triple_argument(triple);
#else
  const std::string& triple_argument = triple;
#endif
  std::unique_ptr<llvm::TargetMachine> machine(llvm_target->createTargetMachine(
      triple_argument, llvm_cpu_of(target.isa), "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
  if (machine == nullptr) throw CompileError(fmt::format("LLVM cannot make code for {} on {}", target.str(), triple));
  return machine;
}

llvm::FunctionPassManager search_passes() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  return passes;
}

llvm::FunctionPassManager final_passes() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager rotate;
  rotate.addPass(llvm::LoopRotatePass());
  rotate.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(rotate), true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, Pipeline pipeline) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  llvm::FunctionPassManager passes = pipeline == Pipeline::kSearch ? search_passes() : final_passes();
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, functions);
  }
}

std::string generate(llvm::Module& module, llvm::TargetMachine& machine, Pipeline pipeline,
                     llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  {
    // Loop strength reduction takes more than a quarter of the time and rarely pays. Its switch is global to the
    // process, and is read while the pipeline is built.
    static std::mutex mutex;
    static auto* disable_lsr = static_cast<llvm::cl::opt<bool>*>(llvm::cl::getRegisteredOptions()["disable-lsr"]);
    const std::lock_guard lock(mutex);
    disable_lsr->setValue(pipeline == Pipeline::kSearch);
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true)) {
      throw CompileError("LLVM cannot write this kind of file for the target");
    }
  }
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

std::string print(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// A C identifier that resembles `name`.
std::string symbol_of(const std::string& name) {
  std::string symbol = with_word_characters(name.empty() ? "kernel" : name);
  if (std::isdigit(static_cast<unsigned char>(symbol[0])) != 0) symbol.insert(symbol.begin(), '_');
  return symbol;
}

/// The reason why LLVM cannot compile for the target's processor; empty if it can.
std::string why_unknown(const Target& target, const llvm::TargetMachine& machine) {
  if (target.llvm_cpu.empty() || machine.getMCSubtargetInfo()->isCPUStringValid(target.llvm_cpu)) return {};
  return fmt::format("LLVM {} knows no processor '{}': give llvm_cpu another name, as znver4, or generic",
                     LLVM_VERSION_STRING, target.llvm_cpu);
}

class LlvmBackend final : public Backend {
 public:
  CompiledObject compile(const ir::Program& program, const Target& target, const CompileOptions& options) override {
    if (target.device != DeviceKind::kCpu) throw CompileError("the LLVM backend makes code for CPUs only");
    initialize_llvm();
    const std::unique_ptr<llvm::TargetMachine> machine = make_machine(target, options.pipeline);
    if (const std::string reason = why_unknown(target, *machine); !reason.empty()) throw CompileError(reason);
    llvm::LLVMContext context;
    CompiledObject result;
    result.symbol = symbol_of(program.name);
    if (program.preparation.defined()) result.preparation = preparation_symbol(result.symbol);
    result.prepared_bytes = ir::prepared_bytes(program);
    result.workspace = program.workspace;
    result.symbols = program.symbols;
    const std::unique_ptr<llvm::Module> module = emit_module(program, target, result.symbol, *machine, context);
    result.extensions = extensions_of(*module);
    std::string problem;
    llvm::raw_string_ostream problems(problem);
    if (llvm::verifyModule(*module, &problems)) {
      throw InternalError(fmt::format("internal error: malformed LLVM IR for {}: {}", program.name, problems.str()));
    }
    optimize(*module, *machine, options.pipeline);
    if (options.keep_ir) result.ir = print(*module);
    if (options.keep_assembly) {
      // Code generation consumes the module.
      const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
      result.assembly = generate(*copy, *machine, options.pipeline, llvm::CodeGenFileType::AssemblyFile);
    }
    result.object = generate(*module, *machine, options.pipeline, llvm::CodeGenFileType::ObjectFile);
    result.code_fingerprint = code_identity(result);
    return result;
  }

  std::string why_not(const Target& target) const override {
    initialize_llvm();
    return why_unknown(target, *make_machine(target, Pipeline::kSearch));
  }

  std::string version() const override { return "LLVM " LLVM_VERSION_STRING; }
};

}  // namespace

std::unique_ptr<Backend> make_llvm_backend() { return std::make_unique<LlvmBackend>(); }

}  // namespace nestwright::codegen
