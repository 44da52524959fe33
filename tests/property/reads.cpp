#include "tests/property/reads.h"

#include <optional>

namespace nestwright::property {
namespace {

Index constant_index(std::int64_t value) { return {Expr(value), Dim::constant(value), Dim::constant(value)}; }

Index shifted(const Index& index, std::int64_t by) {
  return {index.e + Expr(by), plus(index.least, by), plus(index.greatest, by)};
}

/// i*s + r*d: a window, where the loops allow it.
Index window(Choices& choices, const std::vector<Loop>& loops) {
  const Loop& position = choices.of(loops);
  const Loop& inside = choices.of(loops);
  const std::int64_t stride = choices.between(1, 3), dilation = choices.between(1, 2);
  const std::optional<Dim> greatest =
      add(times(plus(position.extent, -1), stride), times(plus(inside.extent, -1), dilation));
  if (!greatest) return index_of(position);
  return {position.var * Expr(stride) + inside.var * Expr(dilation), Dim::constant(0), *greatest};
}

/// i*n + j: two loops as one index.
Index flattened(Choices& choices, const std::vector<Loop>& loops) {
  const Loop& outer = choices.of(loops);
  const Loop& inner = choices.of(loops);
  if (!inner.extent.is_constant()) return index_of(outer);
  const std::int64_t n = inner.extent.value();
  return {outer.var * Expr(n) + inner.var, Dim::constant(0), plus(times(outer.extent, n), -1)};
}

Index divided(const Loop& loop, std::int64_t by) {
  if (!loop.extent.is_constant()) return index_of(loop);
  return {loop.var / Expr(by), Dim::constant(0), Dim::constant((loop.extent.value() - 1) / by)};
}

Index remainder(const Expr& e, std::int64_t of) { return {e % Expr(of), Dim::constant(0), Dim::constant(of - 1)}; }

bool is_inside(const Index& index, const Dim& extent) {
  return index.least.is_non_negative() && is_less(index.greatest, extent);
}

}  // namespace

Index index_of(const Loop& loop) { return {loop.var, Dim::constant(0), plus(loop.extent, -1)}; }

std::vector<Expr> exprs(const std::vector<Dim>& extents) {
  std::vector<Expr> result;
  for (const Dim& extent : extents) result.push_back(extent.expr());
  return result;
}

Index draw_index(Choices& choices, const std::vector<Loop>& loops) {
  if (loops.empty()) return constant_index(choices.below(3));
  const Loop& loop = choices.of(loops);
  switch (choices.weighted({46, 5, 8, 10, 6, 6, 6, 6, 6, 4})) {
    case 0:
      return index_of(loop);
    case 1:
      return constant_index(choices.below(3));
    case 2:
      return shifted(index_of(loop), choices.between(1, 3));
    case 3:
      return window(choices, loops);
    case 4:
      return {plus(loop.extent, -1).expr() - loop.var, Dim::constant(0), plus(loop.extent, -1)};
    case 5:
      return divided(loop, choices.between(2, 5));
    case 6:
      return remainder(loop.var, choices.between(2, 5));
    case 7:
      return flattened(choices, loops);
    case 8:
      return shifted(index_of(loop), -choices.between(1, 3));
    default:
      return remainder(loop.var * Expr(3) + choices.of(loops).var * choices.of(loops).var, choices.between(2, 7));
  }
}

Value read_at(Choices& choices, const Made& from, const std::vector<Index>& indices) {
  std::vector<Expr> at;
  Expr inside;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Index& index = indices[d];
    const Expr extent = from.shape[d].expr();
    at.push_back(index.e);
    if (is_inside(index, from.shape[d])) continue;
    switch (choices.below(3)) {
      case 0:
        at.back() = ir::max(ir::min(index.e, extent - 1), Expr(0));
        break;
      case 1:
        at.back() = index.e % extent;
        break;
      default: {
        Expr condition;
        if (!index.least.is_non_negative()) condition = index.e >= Expr(0);
        if (!is_less(index.greatest, from.shape[d])) {
          condition = condition.defined() ? condition && index.e < extent : index.e < extent;
        }
        inside = inside.defined() ? inside && condition : condition;
      }
    }
  }
  const Expr value = from.tensor.at(at);
  if (!inside.defined()) return {value, from.bound};
  const int neutral = choices.between(0, 1);
  return {ir::select(inside, value, ir::make_const(neutral, value.type())), std::max(from.bound, 1.0)};
}

Index index_into(Choices& choices, const Dim& extent, const std::vector<Loop>& loops) {
  std::vector<Loop> fitting;
  for (const Loop& loop : loops) {
    if (loop.extent.a == extent.a && loop.extent.b == extent.b) fitting.push_back(loop);
  }
  const bool fits = !fitting.empty() && !choices.chance(35);
  return fits ? index_of(choices.of(fitting)) : draw_index(choices, loops);
}

Value read(Choices& choices, const Made& from, const std::vector<Loop>& loops) {
  std::vector<Index> indices;
  for (const Dim& extent : from.shape) indices.push_back(index_into(choices, extent, loops));
  return read_at(choices, from, indices);
}

}  // namespace nestwright::property
