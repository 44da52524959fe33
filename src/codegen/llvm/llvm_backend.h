// The CPU backend, on LLVM 19.1 and source-compatible with 22.1. LLVM's headers stay inside codegen/llvm.
// Thread rule: Backend's; each compilation has its own LLVMContext and TargetMachine.
#pragma once

#include <memory>
#include <string>

#include "codegen/backend.h"

namespace nestwright::codegen {

std::unique_ptr<Backend> make_llvm_backend();

/// The CompiledObject::code_fingerprint of a finished object.
std::string code_identity(const CompiledObject& object);

}  // namespace nestwright::codegen
