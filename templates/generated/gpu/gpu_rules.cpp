#include "templates/generated/gpu/gpu_rules.h"

#include <array>

namespace nestwright {

std::span<const GpuRule> gpu_rules() {
  static constexpr std::array kRules{
      GpuRule{"scan_part", is_of_gpu_scan, bind_scan_part},
      GpuRule{"scan_feeder", feeds_gpu_scan, schedule_elements},
      GpuRule{"join_block", may_join_block, join_block},
      GpuRule{"block_tile", has_block_tile, schedule_block_tile},
      GpuRule{"block_reduction", is_reduced_by_block, reduce_by_block},
      GpuRule{"row_blocks", has_row_blocks, schedule_row_blocks},
      GpuRule{"elements", is_any_gpu_stage, schedule_elements},
  };
  return kRules;
}

}  // namespace nestwright
