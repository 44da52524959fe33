// Emits LLVM IR for a program in vector form. The IR needs few of LLVM's passes: vectors are explicit, register tiles
// are entry-block allocas that are accessed at constant offsets, and loop invariants are hoisted already.
//
// The module has an entry `i32 @symbol(ptr buffers, ptr symbols, ptr workspace, ptr parallel)`
// (nestwright/kernel_abi.h), another for the preparation, one internal function for each kernel, whose tensors are
// noalias parameters, and two for each parallel loop: the body, and the stub that unpacks its closure. Thread rule:
// pure functions; an LLVMContext belongs to one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nestwright/program.h"
#include "nestwright/target.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace nestwright::codegen {

/// The module of a program. Throws CompileError for statements that a CPU cannot run: a loop bound to a GPU's blocks, a
/// parallel loop inside another, ...
std::unique_ptr<llvm::Module> emit_module(const ir::Program& program, const Target& target, const std::string& symbol,
                                          const llvm::TargetMachine& machine, llvm::LLVMContext& context);

/// The name of the second entry, of programs with a preparation.
inline std::string preparation_symbol(const std::string& symbol) { return symbol + "_prepare"; }

/// The features that the module's code may use beyond llvm_cpu_of(): CompiledObject::extensions.
std::vector<std::string> extensions_of(const llvm::Module& module);

/// LLVM's name of the instruction set: x86-64, x86-64-v3 or x86-64-v4.
const char* llvm_cpu_of(CpuIsa isa);

}  // namespace nestwright::codegen
