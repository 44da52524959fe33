// Serialisation of programs, as sent to worker processes. The format has a version; a reader refuses any other.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "nestwright/program.h"

namespace nestwright::ir {

std::string serialize(const Program& program);
/// The inverse of serialize(). Throws UsageError that names what is malformed: truncation, an unknown version, a
/// dangling reference.
Program deserialize(std::string_view bytes);

}  // namespace nestwright::ir
