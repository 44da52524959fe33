#include "templates/generated/gpu/gpu_rules.h"

#include <array>

namespace nestwright {

std::span<const GpuRule> gpu_rules() {
  static constexpr std::array kRules{
      GpuRule{"scan_part", is_of_gpu_scan, bind_scan_part},
      GpuRule{"elements", is_any_gpu_stage, schedule_elements},
  };
  return kRules;
}

}  // namespace nestwright
