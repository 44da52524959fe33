#include "templates/sketch/rules.h"

#include <array>

#include "templates/sketch/nests/row_streams.h"
#include "templates/sketch/rewrites/merge_axes.h"
#include "templates/sketch/rewrites/unroll_phases.h"

namespace nestwright {
namespace {

void unroll_phases_by_choice(NestDraft& draft) {
  unroll_phases(draft.definition, [&](const std::string& stage, double) {
    return draft.tuning.choose(stage + ".unpacked", {"again", "stored"}) == "again";
  });
}

}  // namespace

const RuleTable<Sketch>& cpu_rules() {
  static constexpr std::array kExpression{
      ExpressionRule{"unroll_phases", unroll_phases_by_choice},
      ExpressionRule{"merge_axes", [](NestDraft& draft) { merge_axes(draft.definition); }},
      ExpressionRule{"row_streams", interleave_row_streams},
  };
  static constexpr std::array kBefore{
      WholeRule<Sketch>{"inline_cheap", inline_cheap},
      WholeRule<Sketch>{"inline_padding", inline_padding},
      WholeRule<Sketch>{"divide_sums", divide_sums},
  };
  static constexpr std::array kStages{
      StageRule<Sketch>{"scan_part", is_of_scan, schedule_scan_part},
      StageRule<Sketch>{"join_blocks", may_join_blocks, join_blocks},
      StageRule<Sketch>{"join_columns", may_join_columns, join_columns},
      StageRule<Sketch>{"column_sums", has_column_sums, schedule_column_sums},
      StageRule<Sketch>{"register_tile", has_register_tile, schedule_register_tile},
      StageRule<Sketch>{"transposed_tile", has_transposed_tile, schedule_transposed_tile},
      StageRule<Sketch>{"join_rows", may_join_rows, join_rows},
      StageRule<Sketch>{"join_tiles", may_join_tiles, join_tiles},
      StageRule<Sketch>{"single_value", is_single_value, schedule_single_value},
      StageRule<Sketch>{"column_blocks", has_column_blocks, schedule_column_blocks},
      StageRule<Sketch>{"rows", is_any_stage, schedule_rows},
  };
  static constexpr std::array kAfter{
      WholeRule<Sketch>{"polynomials", define_polynomials},
      WholeRule<Sketch>{"prepare_constants", prepare_constants},
  };
  static const RuleTable<Sketch> table{kExpression, kBefore, kStages, kAfter};
  return table;
}

}  // namespace nestwright
