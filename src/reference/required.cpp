#include "reference/required.h"

#include <algorithm>

#include "ir/analysis/bounds.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {

RequiredElements::RequiredElements(const Operation& op, const std::function<bool(const Buffer&)>& is_wanted) : op_(op) {
  for (const Expr& value : op.compute()->values()) {
    ir::for_each_expr(value, [&](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      if (load == nullptr || !is_wanted(load->buffer)) return;
      const bool is_known = std::any_of(reads_.begin(), reads_.end(), [&](const Read& read) {
        return read.buffer == load->buffer &&
               std::equal(read.indices.begin(), read.indices.end(), load->indices.begin(),
                          [](const Expr& a, const Expr& b) { return ir::equal(a, b); });
      });
      if (!is_known) reads_.push_back({load->buffer, load->indices, ir::constants_of(load->buffer->shape)});
    });
  }
}

void RequiredElements::visit(const Runs& runs, std::int64_t run,
                             const std::function<void(const Buffer&, std::span<const ir::Interval>)>& on_box) const {
  if (reads_.empty()) return;
  const ComputeOp& compute = *op_.compute();
  std::vector<std::int64_t> first(runs.shape().size());
  runs.first_of(run, first);
  ir::Ranges ranges;
  for (std::size_t d = 0; d < first.size(); ++d) {
    const std::int64_t length = d == runs.dimension() ? runs.length() : 1;
    ranges.bind(compute.axes[d].var(), {first[d], first[d] + length - 1});
  }
  for (const IterVar& axis : compute.reduce_axes) ranges.bind(axis.var(), axis.min(), axis.extent());
  std::vector<ir::Interval> box;
  for (const Read& read : reads_) {
    box.clear();
    for (std::size_t d = 0; d < read.indices.size(); ++d) {
      const ir::Interval index = ir::interval_bounds(read.indices[d], ranges);
      box.push_back({std::max<std::int64_t>(index.lo, 0), std::min(index.hi, read.shape[d] - 1)});
    }
    const bool is_empty =
        std::any_of(box.begin(), box.end(), [](const ir::Interval& range) { return range.lo > range.hi; });
    if (!is_empty) on_box(read.buffer, box);
  }
}

}  // namespace nestwright
