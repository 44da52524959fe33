#include "templates/generated/rules.h"

#include <array>

namespace nestwright {

std::span<const SketchRule> cpu_rules() {
  static constexpr std::array kRules{
      SketchRule{"scan_part", is_of_scan, schedule_scan_part},
      SketchRule{"join_columns", may_join_columns, join_columns},
      SketchRule{"column_sums", has_column_sums, schedule_column_sums},
      SketchRule{"register_tile", has_register_tile, schedule_register_tile},
      SketchRule{"transposed_tile", has_transposed_tile, schedule_transposed_tile},
      SketchRule{"join_rows", may_join_rows, join_rows},
      SketchRule{"join_tiles", may_join_tiles, join_tiles},
      SketchRule{"single_value", is_single_value, schedule_single_value},
      SketchRule{"column_blocks", has_column_blocks, schedule_column_blocks},
      SketchRule{"rows", is_any_stage, schedule_rows},
  };
  return kRules;
}

}  // namespace nestwright
