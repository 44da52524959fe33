#include "lower/nest/facts.h"

namespace nestwright {

using ir::Expr;
using ir::Interval;
using ir::Linear;

namespace {

constexpr int kIntervals = 0, kFacts = 1;  // efforts of at_least()

Linear difference(const Expr& a, const Expr& b) {
  Linear result = ir::to_linear(a);
  return result.add(ir::to_linear(b), -1);
}

}  // namespace

void Facts::bind_loop(const ir::Var& var, const Expr& extent) {
  const std::int64_t* constant = ir::as_const_int(extent);
  bind(var, {0, constant != nullptr ? *constant - 1 : Interval::kMax});
  if (constant == nullptr) assume_less(var, extent);
}

void Facts::define(const ir::Var& var, const Expr& value, Interval range) {
  definitions_[var] = expanded(value);
  bind(var, range);
}

void Facts::assume_less(const Expr& a, const Expr& b) {
  Linear slack = difference(expanded(b), expanded(a));
  slack.constant -= 1;
  ranges_.add_fact(std::move(slack));
}

bool Facts::proves_less(const Expr& a, const Expr& b) const {
  // Most questions are about one loop variable and a constant: no need to build sums for those.
  if (const std::int64_t* limit = ir::as_const_int(b); limit != nullptr && range(a).hi < *limit) return true;
  const Linear slack = difference(b, a);
  if (ir::at_least(slack, 1, ranges_, kIntervals)) return true;
  if (ranges_.facts().empty() && definitions_.empty()) return false;
  return ir::at_least(ir::to_linear(expanded(slack.expr())), 1, ranges_, kFacts);
}

Expr Facts::expanded(const Expr& e) const { return definitions_.empty() ? e : ir::substitute(e, definitions_); }

}  // namespace nestwright
