// Chooses the loops of a random compute, and how it reads its primary operand.
#include <algorithm>
#include <cmath>

#include "tests/property/builder.h"

namespace nestwright::property {
namespace {

constexpr int kMaxReduceAxes = 3;

/// Extents, the simple ones first; they include primes and others that no factor divides.
const std::vector<std::int64_t> kExtents = {1, 2, 3, 4, 5, 7, 8, 6, 9, 10, 11, 13, 16, 12, 17, 19, 20, 15, 14, 18};

}  // namespace

double Builder::Plan::reduced() const {
  double product = 1;
  for (const Loop& loop : reduce) product *= static_cast<double>(loop.extent.value());
  for (const Loop& loop : reduce) {
    if (!loop.extent.is_constant()) product *= 16;  // for larger values of the symbol
  }
  return product;
}

std::vector<Dim> Builder::Plan::shape(const std::vector<std::size_t>& order) const {
  std::vector<Dim> result;
  for (const std::size_t d : order) result.push_back(spatial[d].extent);
  return result;
}

void Builder::Plan::bind(const std::vector<std::size_t>& order, std::span<const Expr> values) {
  for (std::size_t d = 0; d < order.size(); ++d) spatial[order[d]].var = values[d];
}

std::int64_t Builder::draw_extent(Choices& choices, std::int64_t most) const {
  std::vector<std::int64_t> fitting;
  for (const std::int64_t extent : kExtents)
    if (extent <= most) fitting.push_back(extent);
  return fitting.empty() ? 1 : choices.of(fitting);
}

Dim Builder::draw_dim(Choices& choices, std::int64_t most) {
  if (most < 2 || !choices.chance(12)) return Dim::constant(draw_extent(choices, most));
  if (symbols_.size() < 2 && (symbols_.empty() || choices.chance(30))) {
    symbols_.push_back({var(symbols_.empty() ? "n" : "m"), draw_extent(choices, std::min<std::int64_t>(most, 12))});
  }
  const Dim dim = plus(Dim::of(choices.of(symbols_)), choices.between(0, 2));
  return dim.value() <= most ? dim : Dim::constant(draw_extent(choices, most));
}

int Builder::add_spatial(Plan& plan, const Dim& extent) {
  if (static_cast<int>(plan.spatial.size()) >= kMaxRank || plan.points * extent.value() > kMaxPoints) return -1;
  plan.points *= extent.value();
  plan.spatial.push_back({{}, extent, false});
  return static_cast<int>(plan.spatial.size()) - 1;
}

int Builder::add_reduce(Plan& plan, const Dim& extent, Choices& choices) {
  if (!plan.is_reduction || static_cast<int>(plan.reduce.size()) >= kMaxReduceAxes ||
      plan.points * extent.value() > kMaxPoints) {
    return -1;
  }
  plan.points *= extent.value();
  constexpr const char* kNames[] = {"r", "s", "t"};
  const std::int64_t start = choices.chance(8) ? 1 : 0;
  const IterVar axis = reduce_axis(Expr(start), extent.expr(), kNames[plan.reduce.size()]);
  plan.reduce_axes.push_back(axis);
  plan.reduce.push_back({axis.var() - Expr(start), extent, true});
  return static_cast<int>(plan.reduce.size()) - 1;
}

std::vector<std::size_t> Builder::draw_order(Choices& choices, const Plan& plan) {
  std::vector<std::size_t> order(plan.spatial.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  if (choices.chance(40)) {
    for (std::size_t d = order.size(); d > 1; --d)
      std::swap(order[d - 1], order[choices.below(static_cast<std::uint32_t>(d))]);
  }
  return order;
}

/// Decides how a dimension of the primary is read: by a loop, a reduction, a window, ...
void Builder::plan_dimension(Choices& choices, Plan& plan, const Dim& extent) {
  const auto constant = [&](std::int64_t c) {
    plan.indices.emplace_back([c](const Plan&) { return Index{Expr(c), Dim::constant(c), Dim::constant(c)}; });
  };
  const auto spatial = [](int at) {
    return [at](const Plan& p) { return p.spatial[static_cast<std::size_t>(at)].var; };
  };
  const auto whole = [&extent](std::function<Expr(const Plan&)> e) {
    return [extent, e = std::move(e)](const Plan& p) { return Index{e(p), Dim::constant(0), plus(extent, -1)}; };
  };
  const std::int64_t fixed = extent.is_constant() ? extent.value() : 0;
  switch (choices.weighted({30, 26, 18, 4, 6, 4, 4, 4})) {
    case 1:
      if (const int at = add_reduce(plan, extent, choices); at >= 0) {
        const Expr e = plan.reduce[static_cast<std::size_t>(at)].var;
        plan.indices.emplace_back(whole([e](const Plan&) { return e; }));
        return;
      }
      break;
    case 2: {  // a window of R elements, `dilation` apart
      const std::int64_t size = choices.between(1, 3), dilation = choices.between(1, 2);
      const std::int64_t stride = fixed > 0 ? choices.between(1, 2) : 1, reach = (size - 1) * dilation + 1;
      if (!plus(extent, -reach).is_non_negative()) break;
      const Dim positions = fixed > 0 ? Dim::constant((fixed - reach) / stride + 1) : plus(extent, 1 - reach);
      const int at = add_spatial(plan, positions);
      if (at < 0) break;
      const int r = add_reduce(plan, Dim::constant(size), choices);
      const Expr offset = r >= 0 ? plan.reduce[static_cast<std::size_t>(r)].var * Expr(dilation)
                                 : Expr(choices.between(0, static_cast<int>(size) - 1) * dilation);
      plan.indices.emplace_back(whole([=, i = spatial(at)](const Plan& p) { return i(p) * Expr(stride) + offset; }));
      return;
    }
    case 3:
      return constant(fixed > 0 ? choices.below(static_cast<std::uint32_t>(fixed)) : 0);
    case 4: {  // two loops i*c + j
      const std::int64_t c = choices.between(2, 5);
      if (fixed == 0 || fixed % c != 0 || plan.spatial.size() + 2 > kMaxRank) break;
      const int i = add_spatial(plan, Dim::constant(fixed / c));
      const int j = i < 0 ? -1 : add_spatial(plan, Dim::constant(c));
      if (j < 0) break;
      plan.indices.emplace_back(
          whole([=, i = spatial(i), j = spatial(j)](const Plan& p) { return i(p) * Expr(c) + j(p); }));
      return;
    }
    case 5: {  // each element several times
      const std::int64_t c = choices.between(2, 3);
      const int at = fixed > 0 ? add_spatial(plan, Dim::constant(fixed * c)) : -1;
      if (at < 0) break;
      plan.indices.emplace_back(whole([=, i = spatial(at)](const Plan& p) { return i(p) / Expr(c); }));
      return;
    }
    case 6: {
      const int at = add_spatial(plan, draw_dim(choices, kMaxPoints / plan.points));
      if (at < 0) break;
      plan.indices.emplace_back(whole([=, i = spatial(at)](const Plan& p) { return i(p) % extent.expr(); }));
      return;
    }
    case 7: {
      const int at = add_spatial(plan, extent);
      if (at < 0) break;
      plan.indices.emplace_back(whole([=, i = spatial(at)](const Plan& p) { return extent.expr() - 1 - i(p); }));
      return;
    }
    default:
      break;
  }
  const int at = add_spatial(plan, extent);
  if (at < 0) return constant(0);
  plan.indices.emplace_back(whole(spatial(at)));
}

Builder::Plan Builder::make_plan(Choices& choices, std::uint32_t percent_reduced) {
  Plan plan;
  plan.is_reduction = choices.chance(percent_reduced);
  if (!computes_.empty() && !choices.chance(35)) {
    // Usually the last one, since chains exercise compute_at and inlining.
    const std::size_t last = computes_.size() - 1;
    plan.primary = static_cast<int>(choices.chance(30) ? choices.below(static_cast<std::uint32_t>(last + 1)) : last);
    is_read_[static_cast<std::size_t>(plan.primary)] = true;
    for (const Dim& extent : computes_[static_cast<std::size_t>(plan.primary)].shape)
      plan_dimension(choices, plan, extent);
  }
  const std::size_t rank = std::max<std::size_t>(plan.spatial.size(), choices.weighted({8, 30, 36, 18, 8}));
  if (plan.primary < 0 || choices.chance(25)) {
    while (plan.spatial.size() < rank && add_spatial(plan, draw_dim(choices, kMaxPoints / plan.points)) >= 0) {
    }
  }
  while (plan.is_reduction && (plan.reduce.empty() || choices.chance(20))) {
    if (add_reduce(plan, draw_dim(choices, kMaxPoints / plan.points), choices) < 0) break;
  }
  plan.is_reduction = !plan.reduce.empty();
  return plan;
}

}  // namespace nestwright::property
