// What NVRTC and ptxas say of a compilation. Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/backend.h"

namespace nestwright::codegen {

/// The resources of each kernel, in the order of the log of ptxas -v.
std::vector<KernelResources> resources_of(std::string_view log);

/// The first error of the log on one line, shortened.
std::string first_error(std::string_view log);

}  // namespace nestwright::codegen
