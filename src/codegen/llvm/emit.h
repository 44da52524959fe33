// From a program in vector form to LLVM IR. The IR needs little of LLVM afterwards:
// vectors are explicit, register tiles are entry-block allocas at constant offsets, and whatever does not change in a
// loop is computed outside of it already here.
//
// The module has an entry `i32 @symbol(ptr buffers, ptr symbols, ptr workspace, ptr parallel)` (runtime/kernel_abi.h),
// another for its preparation, one internal function a kernel, whose tensors are noalias parameters, and two more a
// parallel loop: the body and the stub that unpacks its closure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/core/program.h"
#include "target/target.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace nestwright::codegen {

/// Throws CompileError for what the CPU cannot run (a loop bound to a GPU's blocks, a parallel loop inside another,
/// ...).
std::unique_ptr<llvm::Module> emit_module(const ir::Program& program, const Target& target, const std::string& symbol,
                                          const llvm::TargetMachine& machine, llvm::LLVMContext& context);

/// Of the second entry, which programs with a preparation have.
inline std::string preparation_symbol(const std::string& symbol) { return symbol + "_prepare"; }

/// What the module's code may use beyond llvm_cpu_of(): CompiledObject::extensions.
std::vector<std::string> extensions_of(const llvm::Module& module);

/// LLVM's name of the instruction set, the newest that code for the target may use: x86-64, x86-64-v3, x86-64-v4.
const char* llvm_cpu_of(CpuIsa isa);

}  // namespace nestwright::codegen
