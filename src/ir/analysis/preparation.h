// Programs with a preparation, which runs once before any number of calls: the parameters and kernels of each part.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::ir {

/// The parameters of the operator: all but the prepared ones.
std::vector<Parameter> operator_parameters(const Program& program);

/// The size of each prepared parameter in bytes, rounded up to a multiple of 64. Requires constant shapes, which
/// lowering guarantees.
std::vector<std::int64_t> prepared_bytes(const Program& program);

/// Whether calls launch the kernel number `kernel`, rather than the preparation.
bool is_of_call(const Program& program, std::size_t kernel);

/// The preparation and a call as one statement, which allocates the prepared parameters.
Stmt with_preparation(const Program& program);

}  // namespace nestwright::ir
