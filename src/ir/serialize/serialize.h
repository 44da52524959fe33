// Programs as bytes: what crosses to a worker process. Versioned; a reader refuses what it does not know.
#pragma once

#include <string>
#include <string_view>

#include "ir/core/program.h"

namespace nestwright::ir {

std::string serialize(const Program& program);
/// Throws UsageError naming what is malformed (truncated, unknown version, dangling reference).
Program deserialize(std::string_view bytes);

}  // namespace nestwright::ir
