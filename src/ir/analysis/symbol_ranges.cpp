#include "ir/analysis/symbol_ranges.h"

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

}  // namespace nestwright::ir
