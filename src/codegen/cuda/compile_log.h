// Parses the log that NVRTC and ptxas write of a compilation. Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nestwright/target.h"

namespace nestwright::codegen {

/// The resources that ptxas -v reports for each kernel, in the order of the log.
std::vector<KernelResources> resources_of(std::string_view log);

/// The first line of the log that contains an error, else its first line; at most 300 characters.
std::string first_error(std::string_view log);

}  // namespace nestwright::codegen
