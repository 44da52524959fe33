// The source of a device program: one text, a function a kernel, that a person can read. Thread rule: pure functions.
#pragma once

#include <string>

#include "codegen/source/dialect.h"
#include "ir/core/program.h"

namespace nestwright::codegen {

/// `program` with names of kernels that are identifiers, and each another one.
ir::Program with_legal_names(ir::Program program);

/// Requires the vector form of a device (ir::Form::kDeviceVector) and legal names. A kernel's arguments are those of
/// ir::kernel_arguments(), scalars as integers of 64 bits. Throws CompileError for what a device's kernel cannot have.
std::string source_of(const ir::Program& program, const Dialect& dialect);

/// CompiledObject::code: equal where the sources are, but for the names of kernels, and what the host does with them.
std::string source_identity(const ir::Program& program, const Dialect& dialect);

}  // namespace nestwright::codegen
