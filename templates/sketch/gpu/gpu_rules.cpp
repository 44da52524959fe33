#include "templates/sketch/gpu/gpu_rules.h"

#include <array>

#include "templates/sketch/rewrites/merge_axes.h"

namespace nestwright {

const RuleTable<GpuSketch>& gpu_rules() {
  static constexpr std::array kExpression{
      ExpressionRule{"merge_axes", [](NestDraft& draft) { merge_axes(draft.definition); }},
  };
  static constexpr std::array kBefore{
      WholeRule<GpuSketch>{"inline_injective", inline_injective},
      WholeRule<GpuSketch>{"divide_reductions", divide_reductions},
  };
  static constexpr std::array kStages{
      StageRule<GpuSketch>{"scan_part", is_of_gpu_scan, bind_scan_part},
      StageRule<GpuSketch>{"scan_feeder", feeds_gpu_scan, schedule_elements},
      StageRule<GpuSketch>{"join_block", may_join_block, join_block},
      StageRule<GpuSketch>{"block_tile", has_block_tile, schedule_block_tile},
      StageRule<GpuSketch>{"block_reduction", is_reduced_by_block, reduce_by_block},
      StageRule<GpuSketch>{"row_blocks", has_row_blocks, schedule_row_blocks},
      StageRule<GpuSketch>{"transposed_tile", has_transposed_gpu_tile, schedule_transposed_gpu_tile},
      StageRule<GpuSketch>{"elements", is_any_gpu_stage, schedule_elements},
  };
  static const RuleTable<GpuSketch> table{kExpression, kBefore, kStages, {}};
  return table;
}

}  // namespace nestwright
