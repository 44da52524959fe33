// Parses the log that NVRTC and ptxas write of a compilation. Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/backend.h"

namespace nestwright::codegen {

/// The resources of each kernel that ptxas -v reports, in its order.
std::vector<KernelResources> resources_of(std::string_view log);

/// The first error of the log, shortened to one line.
std::string first_error(std::string_view log);

}  // namespace nestwright::codegen
