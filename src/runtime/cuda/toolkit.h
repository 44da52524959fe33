// Looks up the libraries of the CUDA toolkit.
// Thread rule: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::cuda {

/// Returns the newest CUDA version that this machine's driver supports, e.g. 12040 for 12.4. Absent if there is no
/// driver. Does not initialise a device.
std::optional<int> driver_version();

/// Returns the names to try for lib<name>.so, in order: first the major versions that the driver supports, newest
/// first, then the others; for each, the dynamic linker's search path, then the folders below CUDA_PATH, CUDA_HOME and
/// /usr/local/cuda.
std::vector<std::string> toolkit_libraries(std::string_view name);

}  // namespace nestwright::cuda
