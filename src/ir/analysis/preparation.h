// Programs that prepare something once, before any number of calls: who hands over what, and what belongs to which of
// the two. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/core/program.h"

namespace nestwright::ir {

/// The parameters of the operator: all but those that are prepared.
std::vector<Parameter> operator_parameters(const Program& program);

/// Bytes of each prepared parameter, rounded up to 64. Requires constant shapes, which lowering sees to.
std::vector<std::int64_t> prepared_bytes(const Program& program);

/// Whether a call, and not the preparation, launches a kernel.
bool is_of_call(const Program& program, std::size_t kernel);

/// Preparation and call as one statement, which allocates what is prepared.
Stmt with_preparation(const Program& program);

}  // namespace nestwright::ir
