// Writes the source of a device program: one readable text, with a function for each kernel.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "codegen/source/dialect.h"
#include "nestwright/program.h"

namespace nestwright::codegen {

/// `program` with the kernels renamed to distinct identifiers.
ir::Program with_legal_names(ir::Program program);

/// The source of a program. Requires the vector form of a device (ir::Form::kDeviceVector) and legal names. A kernel's
/// arguments are those of ir::kernel_arguments(), scalars as 64-bit integers. Throws CompileError for constructs that a
/// device's kernel cannot have.
std::string source_of(const ir::Program& program, const Dialect& dialect);

/// CompiledObject::code_fingerprint: equal for two programs if their sources, apart from the kernels' names, and their
/// host statements are equal.
std::string source_identity(const ir::Program& program, const Dialect& dialect);

}  // namespace nestwright::codegen
