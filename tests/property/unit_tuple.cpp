// Reductions of tuples by user-defined reducers. All are exactly associative and commutative, and most of them need
// every member of a step before one of them is stored.
#include "nestwright/reduction.h"
#include "tests/property/builder.h"

namespace nestwright::property {
namespace {

using Values = std::vector<Expr>;
using Span = std::span<const Expr>;

/// The index of the greatest (or least) value, the first one in a tie, and the value.
Reducer arg_reducer(Type type, bool greatest, bool value_first) {
  const std::size_t v = value_first ? 0 : 1, i = 1 - v;
  const auto ordered = [value_first](Expr value, Expr index) {
    return value_first ? Values{std::move(value), std::move(index)} : Values{std::move(index), std::move(value)};
  };
  const Expr last = ir::make_int(1 << 20, kInt32);
  return Reducer("arg", ordered(greatest ? min_value(type) : max_value(type), last), [=](Span a, Span b) {
    const Expr first = (greatest ? a[v] > b[v] : a[v] < b[v]) || (a[v] == b[v] && a[i] <= b[i]);
    return ordered(greatest ? max(a[v], b[v]) : min(a[v], b[v]), ir::select(first, a[i], b[i]));
  });
}

/// Two independent members.
Reducer sum_and_least(Type type) {
  return Reducer("sum_min", {ir::make_const(0, type), max_value(type)},
                 [](Span a, Span b) { return Values{a[0] + b[0], min(a[1], b[1])}; });
}

/// Products of complex numbers with integers that wrap around.
Reducer complex_product(Type type) {
  return Reducer("complex", {ir::make_const(1, type), ir::make_const(0, type)},
                 [](Span a, Span b) { return Values{a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]}; });
}

/// a + b - a*b, which uses each operand twice; 1 - x maps it to a product.
Reducer probabilistic_sum(Type type) {
  return Reducer("either", {ir::make_const(0, type)}, [](Span a, Span b) { return Values{a[0] + b[0] - a[0] * b[0]}; });
}

}  // namespace

void Builder::add_tuple(Choices& choices) {
  Plan plan = make_plan(choices, 100);
  if (!plan.is_reduction) return add_plain(choices);  // there is no room for a reduction
  Type type = draw_type(choices, plan, false);
  std::size_t kind = choices.weighted({40, 20, 20, 20});
  if (kind >= 2 && type.is_float()) type = kInt32;
  // Comparing index-wide numbers requires that they do not overflow.
  if (kind < 2 && type == Type(kIndex)) type = kInt32;
  const bool greatest = choices.chance(50), value_first = choices.chance(50);
  const std::vector<std::size_t> order = draw_order(choices, plan);
  const double reduced = plan.reduced();

  std::vector<Dim> shape = plan.shape(order);
  std::vector<double> bounds;
  const auto bodies = [&](std::span<const Expr> indices) {
    plan.bind(order, indices);
    const Value value = body_value(choices, plan, type);
    if (kind == 0) {
      Expr position = 0;
      for (const Loop& loop : plan.reduce) position = position * loop.extent.expr() + loop.var;
      const Expr index = ir::cast(kInt32, position);
      bounds = {value.bound, value.bound};
      return arg_reducer(type, greatest, value_first)(value_first ? Values{value.e, index} : Values{index, value.e},
                                                      plan.reduce_axes);
    }
    if (kind == 3) return probabilistic_sum(type)({value.e}, plan.reduce_axes);
    const Value other = converted(operand(choices, plan.loops(), type), type);
    if (kind == 2) return complex_product(type)({value.e, other.e}, plan.reduce_axes);
    const Value summed = reducible(ir::ReducerKind::kSum, value, reduced);
    bounds = {reduced_bound(ir::ReducerKind::kSum, summed, reduced), other.bound};
    return sum_and_least(type)({summed.e, other.e}, plan.reduce_axes);
  };
  const std::vector<Tensor> results = compute_tuple(exprs(shape), bodies, next_name());
  bounds.resize(results.size());
  result_.computes.push_back(results[0]);
  result_.reducers.push_back(ir::ReducerKind::kCustom);
  for (std::size_t r = 0; r < results.size(); ++r) add_result({results[r], shape, bounds[r]}, choices.chance(30));
}

}  // namespace nestwright::property
