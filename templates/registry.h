// The registry of Nestwright's own operators and templates. To add one: a folder under templates/ and a line in
// registry.cpp.
// Thread rule: immutable; any thread may read it.
#pragma once

#include "templates/framework/registry/registry.h"

namespace nestwright {

const Registry& builtin_registry();

/// Parses a workload of one of them, as builtin_registry().parse_workload() does, for programs that add none.
Workload parse_workload(std::string_view text);

}  // namespace nestwright
