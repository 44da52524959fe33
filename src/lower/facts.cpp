#include "lower/facts.h"

namespace nestwright {

using ir::Expr;
using ir::Interval;
using ir::Linear;

namespace {

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

void Facts::define(const ir::Var& var, const Expr& value, ir::Interval range) {
  definitions_[var] = expanded(value);
  bind(var, range);
}

void Facts::assume_less(const Expr& a, const Expr& b) { conditions_.push_back(difference(expanded(b), expanded(a))); }

void Facts::reset(Mark mark) {
  ranges_.resize(mark.ranges);
  conditions_.resize(mark.conditions);
}

Interval Facts::range(const Expr& e) const {
  if (const std::int64_t* constant = ir::as_const_int(e)) return {*constant, *constant};
  if (const auto* ref = e.as<ir::VarRef>()) {
    for (auto bound = ranges_.rbegin(); bound != ranges_.rend(); ++bound) {
      if (bound->var == ref->var) return bound->range;
    }
    return {};
  }
  if (const auto* op = e.as<ir::Binary>(); op != nullptr && e.type().is_int()) {
    if (op->op == ir::BinaryOp::kDiv || op->op == ir::BinaryOp::kMod) {
      const std::int64_t* divisor = ir::as_const_int(op->b);
      if (divisor == nullptr || *divisor <= 0) return {};
      const Interval by{*divisor, *divisor};
      return op->op == ir::BinaryOp::kDiv ? ir::div(range(op->a), by) : ir::mod(range(op->a), by);
    }
    if (op->op == ir::BinaryOp::kAdd || op->op == ir::BinaryOp::kSub || op->op == ir::BinaryOp::kMul) {
      const Linear linear = ir::to_linear(e);
      if (linear.terms.size() == 1 && linear.terms[0].atom.same_as(e)) return {};  // a product of variables
      return range(linear);
    }
  }
  return {};
}

Interval Facts::range(const Linear& e) const {
  Interval sum{e.constant, e.constant};
  for (const ir::LinearTerm& term : e.terms) sum = ir::add(sum, ir::scale(range(term.atom), term.coefficient));
  return sum;
}

bool Facts::proves_less(const Expr& a, const Expr& b) const {
  // Most questions are about one loop variable and a constant: no need to build sums for those.
  if (const std::int64_t* limit = ir::as_const_int(b)) {
    if (range(a).hi < *limit) return true;
  }
  const Linear slack = difference(b, a);
  if (range(slack).lo >= 1) return true;
  if (conditions_.empty() && definitions_.empty()) return false;
  const Linear wide = ir::to_linear(expanded(slack.expr()));
  if (range(wide).lo >= 1) return true;
  for (const Linear& condition : conditions_) {
    Linear rest = wide;
    if (range(rest.add(condition, -1)).lo >= 0) return true;
  }
  return false;
}

Expr Facts::expanded(const Expr& e) const { return definitions_.empty() ? e : ir::substitute(e, definitions_); }

}  // namespace nestwright
