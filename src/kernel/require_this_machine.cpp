#include "kernel/require_this_machine.h"

#include <fmt/format.h>

#include "nestwright/error.h"
#include "target/description/host.h"

namespace nestwright {

void require_this_machine(const Target& target) {
  const CpuFeatures here = host_cpu_features();
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format(
        "this machine cannot run kernels for {}{}: use the host's target, or nestwright export", target.str(), what));
  };
  if (target.isa > host_isa()) refuse("");
  for (int i = 0; i < kCpuFeatures; ++i) {
    const auto feature = static_cast<CpuFeature>(i);
    if (target.has(feature) && !here.has(feature)) refuse(fmt::format(", as it has no {}", name_of(feature)));
  }
}

}  // namespace nestwright
