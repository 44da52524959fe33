// What the backends of devices have in common. Thread rule: a pure function.
#pragma once

#include "codegen/backend.h"
#include "codegen/source/dialect.h"

namespace nestwright::codegen {

/// All of a CompiledObject but the code for the device and the resources that it takes.
CompiledObject device_object(const ir::Program& program, const Dialect& dialect);

}  // namespace nestwright::codegen
