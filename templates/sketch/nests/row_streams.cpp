#include "templates/sketch/nests/row_streams.h"

#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "nestwright/tensor.h"
#include "templates/loops/vectors.h"
#include "templates/sketch/expression/forms.h"

namespace nestwright {
namespace {

StageAnalysis analysis_of(const Definition& definition) {
  return analyse_stages(create_schedule(definition.outputs()), constant_inputs_of(definition)).front();
}

}  // namespace

bool may_interleave_row_streams(const Definition& definition, const Target& target) {
  if (definition.outputs().size() != 1) return false;
  const Operation& op = definition.args.back().op();
  const ComputeOp* const written = op.compute();
  const bool is_of_inputs =
      std::all_of(op->inputs.begin(), op->inputs.end(), [](const Operation& input) { return input.is_placeholder(); });
  if (!is_of_inputs || written == nullptr || written->reduction() == nullptr || written->axes.size() != 1) return false;
  if (!definition.args.back().buffer()->strides.empty()) return false;  // the result is made anew, without gaps
  const StageAnalysis sums = analysis_of(definition);
  return sums.results == 1 && !sums.has_reuse() &&
         reduction_forms(sums, target).front().kind == ReductionForm::Kind::kLanes;
}

void interleave_row_streams(NestDraft& draft) {
  if (!may_interleave_row_streams(draft.definition, draft.target)) return;
  const StageAnalysis sums = analysis_of(draft.definition);
  const std::int64_t rows = sums.extents.front();
  const std::int64_t streams = choose_streams(draft.tuning, rows, 1, bytes_of(sums), draft.target);
  draft.row_streams = streams;
  if (streams == 1) return;
  const std::int64_t each = rows / streams;
  Tensor& result = draft.definition.args.back();
  const ComputeOp& written = *result.op().compute();
  const Tensor far = compute(
      {Expr(each), Expr(streams)},
      [&](const Expr& i, const Expr& stream) {
        return ir::substitute(written.bodies.front(), {{written.axes.front().var(), stream * each + i}});
      },
      result.name() + ".far");
  result =
      passed_like(compute({Expr(rows)}, [&](const Expr& i) { return far(i % each, i / each); }, result.name()), result);
}

}  // namespace nestwright
