#include "ir/analysis/symbol_ranges.h"

#include "ir/traversal/rewrite.h"

namespace nestwright::ir {

Ranges ranges_of_symbols(const Program& program) {
  Ranges ranges;
  for (const Var& symbol : program.symbols) ranges.bind(symbol, Interval{1, Interval::kMax});
  for (const Requirement& requirement : program.requirements) ranges.assume(requirement.slack >= 0);
  for (const Parameter& parameter : program.parameters) {
    for (const Expr& extent : parameter.buffer->shape) {
      if (as_const_int(extent) == nullptr && extent.as<VarRef>() == nullptr) ranges.assume(extent >= 0);
    }
  }
  return ranges;
}

Ranges ranges_of_host(const Program& program) {
  Ranges ranges = ranges_of_symbols(program);
  for_each_stmt(program.host, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>()) ranges.bind(loop->var, loop->min, loop->extent);
    if (const auto* let = s.as<Let>(); let != nullptr && let->var.type() == kIndex) {
      ranges.bind(let->var, let->value, Expr(1));
    }
  });
  return ranges;
}

}  // namespace nestwright::ir
