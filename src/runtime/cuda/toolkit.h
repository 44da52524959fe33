// Libraries of CUDA's toolkit, which are looked for when they are needed. Thread rule: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::cuda {

/// The newest CUDA that this machine's driver serves: 12040 for 12.4. nullopt where there is no driver. Starts no
/// device.
std::optional<int> driver_version();

/// What to try for lib<name>.so, one after the other: of each major version that the driver serves, the newest first,
/// where the dynamic linker looks, then below CUDA_PATH, CUDA_HOME and /usr/local/cuda; then of those that it does not.
std::vector<std::string> toolkit_libraries(std::string_view name);

}  // namespace nestwright::cuda
