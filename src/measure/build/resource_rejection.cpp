#include "measure/build/resource_rejection.h"

#include <fmt/core.h>

#include "target/description/occupancy.h"

namespace nestwright {

std::string resource_rejection(std::span<const KernelResources> kernels, const Target& target) {
  constexpr int kRegisterBytes = 4;
  for (const KernelResources& kernel : kernels) {
    const std::string reason = launch_rejection({kernel.threads, kernel.registers, kernel.shared_bytes}, target);
    if (!reason.empty()) return fmt::format("kernel {} cannot be launched: {}", kernel.kernel, reason);
    const int most = kRegisterBytes * target.registers_per_thread;
    if (kernel.spill_bytes > most) {
      return fmt::format("kernel {} spills {} bytes a thread, more than the {} of all registers that a thread may have",
                         kernel.kernel, kernel.spill_bytes, most);
    }
  }
  return {};
}

}  // namespace nestwright
