// Makes the part of a CompiledObject that the CUDA and OpenCL backends have in common. Thread rule: a pure function.
#pragma once

#include "codegen/backend.h"
#include "codegen/source/dialect.h"

namespace nestwright::codegen {

/// A CompiledObject without the device's code and its resources.
CompiledObject device_object(const ir::Program& program, const Dialect& dialect);

}  // namespace nestwright::codegen
