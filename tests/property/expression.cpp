#include "tests/property/expression.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "expression/reducers.h"
#include "tests/property/access.h"

namespace nestwright::property {
namespace {

constexpr std::int64_t kMostPoints = 360;  // of one compute, its reduction included
constexpr std::int64_t kMostElements = 4000;
constexpr int kMostInputs = 4;
constexpr int kMostRank = 4;
constexpr int kMostReduceAxes = 3;

/// Sizes, the simple ones first: primes and others that no factor divides among them.
const std::vector<std::int64_t> kExtents = {1, 2, 3, 4, 5, 7, 8, 6, 9, 10, 11, 13, 16, 12, 17, 19, 20, 15, 14, 18};

bool is_logical(ir::ReducerKind kind) { return kind == ir::ReducerKind::kAny || kind == ir::ReducerKind::kAll; }

class Builder {
 public:
  explicit Builder(const ExpressionWish& wish) : wish_(wish) {}

  void add_compute(Choices& choices);
  Expression finish() {
    for (std::size_t n = 0; n < computes_.size(); ++n) {
      result_.computes.push_back(computes_[n].tensor);
      if (!is_read_[n] || wants_output_[n]) result_.outputs.push_back(computes_[n].tensor);
    }
    return std::move(result_);
  }

 private:
  /// Loops of the compute that is being made. Variables come last: the spatial ones are known once the shape is.
  struct Plan {
    std::vector<Loop> spatial, reduce;
    std::vector<IterVar> reduce_axes;
    std::int64_t points = 1;
    bool is_reduction = false;
    int primary = -1;  ///< compute read as a whole or in windows; -1: none
    /// One a dimension of the primary, made from the loops.
    std::vector<std::function<Index(const Plan&)>> indices;

    std::vector<Loop> loops() const {
      std::vector<Loop> all = spatial;
      all.insert(all.end(), reduce.begin(), reduce.end());
      return all;
    }
  };

  std::int64_t draw_extent(Choices& choices, std::int64_t most) const {
    std::vector<std::int64_t> fitting;
    for (const std::int64_t extent : kExtents)
      if (extent <= most) fitting.push_back(extent);
    return fitting.empty() ? 1 : choices.of(fitting);
  }
  Dim draw_dim(Choices& choices, const Plan& plan) {
    const std::int64_t most = kMostPoints / plan.points;
    if (most < 2 || !choices.chance(12)) return Dim::constant(draw_extent(choices, most));
    if (symbols_.size() < 2 && (symbols_.empty() || choices.chance(30))) {
      symbols_.push_back({var(symbols_.empty() ? "n" : "m"), draw_extent(choices, std::min<std::int64_t>(most, 12))});
    }
    const Dim dim = plus(Dim::of(choices.of(symbols_)), choices.between(0, 2));
    return dim.value() <= most ? dim : Dim::constant(draw_extent(choices, most));
  }

  /// Position of the new loop among the spatial ones, or -1 where there is no room.
  static int add_spatial(Plan& plan, const Dim& extent) {
    if (static_cast<int>(plan.spatial.size()) >= kMostRank || plan.points * extent.value() > kMostPoints) return -1;
    plan.points *= extent.value();
    plan.spatial.push_back({{}, extent, false});
    return static_cast<int>(plan.spatial.size()) - 1;
  }
  int add_reduce(Plan& plan, const Dim& extent, Choices& choices) {
    if (!plan.is_reduction || static_cast<int>(plan.reduce.size()) >= kMostReduceAxes ||
        plan.points * extent.value() > kMostPoints) {
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

  void plan_dimension(Choices& choices, Plan& plan, const Dim& extent);
  Plan make_plan(Choices& choices);
  Type draw_type(Choices& choices, const Plan& plan) const;
  Value input(Choices& choices, const std::vector<Loop>& loops, Type type);
  Value operand(Choices& choices, const Plan& plan, const std::vector<Loop>& loops, Type type);
  Value body_value(Choices& choices, const Plan& plan, Type type);
  Value read_compute(Choices& choices, std::size_t n, const std::vector<Loop>& loops) {
    is_read_[n] = true;
    return read(choices, computes_[n], loops);
  }

  const ExpressionWish wish_;
  Expression result_;
  std::vector<Symbol>& symbols_ = result_.symbols;
  std::vector<Made> inputs_, computes_;
  std::vector<char> is_read_, wants_output_;
};

/// What becomes of a dimension of the primary: a loop, a reduction, a window, ...
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
      if (!plus(extent, -reach).never_negative()) break;
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
      if (fixed == 0 || fixed % c != 0 || plan.spatial.size() + 2 > kMostRank) break;
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
      const int at = add_spatial(plan, draw_dim(choices, plan));
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

Builder::Plan Builder::make_plan(Choices& choices) {
  Plan plan;
  plan.is_reduction = choices.chance(wish_.reducer ? 75 : 45);
  if (!computes_.empty() && !choices.chance(35)) {
    // The last one in most cases: chains are what compute_at and inlining are for.
    const std::size_t last = computes_.size() - 1;
    plan.primary = static_cast<int>(choices.chance(30) ? choices.below(static_cast<std::uint32_t>(last + 1)) : last);
    is_read_[static_cast<std::size_t>(plan.primary)] = true;
    for (const Dim& extent : computes_[static_cast<std::size_t>(plan.primary)].shape)
      plan_dimension(choices, plan, extent);
  }
  const std::size_t rank = std::max<std::size_t>(plan.spatial.size(), choices.weighted({8, 30, 36, 18, 8}));
  if (plan.primary < 0 || choices.chance(25)) {
    while (plan.spatial.size() < rank && add_spatial(plan, draw_dim(choices, plan)) >= 0) {
    }
  }
  while (plan.is_reduction && (plan.reduce.empty() || choices.chance(20))) {
    if (add_reduce(plan, draw_dim(choices, plan), choices) < 0) break;
  }
  plan.is_reduction = !plan.reduce.empty();
  return plan;
}

Type Builder::draw_type(Choices& choices, const Plan& plan) const {
  static const std::vector<Type> numbers = {kInt8, kUInt8, kInt16, kUInt16, kUInt32, kUInt64, kFloat16, kBFloat16};
  const std::size_t drawn = choices.weighted({40, 18, 10, 8, 16, 8});
  const Type number = std::vector<Type>{kFloat32, kInt32, kInt64, kFloat64, choices.of(numbers), kFloat32}[drawn];
  const bool logical = plan.is_reduction && wish_.reducer ? is_logical(*wish_.reducer) : drawn == 5;
  if (logical) return kBool;
  // Sums of more than that many are not exact any more.
  const bool narrow = number.is_float() && number.bits == 16;
  return narrow && plan.points > 60 ? Type(kFloat32) : number;
}

Value Builder::input(Choices& choices, const std::vector<Loop>& loops, Type type) {
  const bool is_new = inputs_.empty() || (static_cast<int>(inputs_.size()) < kMostInputs && choices.chance(60));
  if (!is_new) return read(choices, choices.of(inputs_), loops);
  std::vector<Index> indices;
  Made made;
  std::int64_t elements = 1;
  // As many dimensions as there are loops in most cases, each loop once.
  std::vector<Loop> left = loops;
  const int rank = choices.chance(30) ? choices.between(0, kMostRank)
                                      : static_cast<int>(std::min<std::size_t>(loops.size(), kMostRank));
  for (int d = 0; d < rank; ++d) {
    Index index = draw_index(choices, loops);
    if (!left.empty() && !choices.chance(35)) {
      const std::size_t n = choices.below(static_cast<std::uint32_t>(left.size()));
      index = {left[n].var, Dim::constant(0), plus(left[n].extent, -1)};
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(n));
    }
    Dim extent = plus(index.greatest, 1 + (choices.chance(10) ? choices.between(1, 2) : 0));
    if (!plus(extent, -1).never_negative()) extent = Dim::constant(1);
    if (elements * extent.value() > kMostElements) break;
    elements *= extent.value();
    made.shape.push_back(extent);
    indices.push_back(index);
  }
  std::vector<Expr> shape, strides;
  for (const Dim& extent : made.shape) shape.push_back(extent.expr());
  if (choices.chance(10)) {  // rows further apart than they are long, or columns in the place of rows
    const bool transposed = choices.chance(50);
    Expr step = choices.between(1, 2);
    strides.resize(shape.size());
    for (std::size_t n = 0; n < shape.size(); ++n) {
      const std::size_t d = transposed ? n : shape.size() - 1 - n;
      strides[d] = step;
      step = step * (shape[d] + Expr(choices.between(0, 2)));
    }
  }
  const Type element =
      choices.chance(20) ? std::vector<Type>{kInt32, kUInt8, kFloat32, kBool, kInt8}[choices.below(5)] : type;
  made.tensor = placeholder(shape, element, std::string(1, static_cast<char>('A' + inputs_.size())), strides);
  made.bound = 4;
  inputs_.push_back(made);
  result_.inputs.push_back(made.tensor);
  return read_at(choices, made, indices);
}

Value Builder::operand(Choices& choices, const Plan& plan, const std::vector<Loop>& loops, Type type) {
  switch (choices.weighted({50, 22, 8, 8})) {
    case 1:
      if (!computes_.empty()) {
        return converted(read_compute(choices, choices.below(static_cast<std::uint32_t>(computes_.size())), loops),
                         type);
      }
      break;
    case 2:
      return converted(literal(choices.between(1, 3), kInt32), type);
    case 3: {
      const Index index = draw_index(choices, loops);
      return converted({ir::cast(kInt32, index.e), 100}, type);
    }
    default:
      break;
  }
  (void)plan;
  return converted(input(choices, loops, type), type);
}

Value Builder::body_value(Choices& choices, const Plan& plan, Type type) {
  const std::vector<Loop> loops = plan.loops();
  // A truth value is a comparison in most cases.
  const Type inner = type.is_bool() && !choices.chance(30) ? Type(kInt32) : type;
  Value value;
  if (plan.primary >= 0) {
    std::vector<Index> indices;
    for (const auto& make : plan.indices) indices.push_back(make(plan));
    value = converted(read_at(choices, computes_[static_cast<std::size_t>(plan.primary)], indices), inner);
  } else {
    value = operand(choices, plan, loops, inner);
  }
  for (int more = static_cast<int>(choices.weighted({30, 50, 20})); more > 0; --more) {
    const Value other = operand(choices, plan, loops, inner);
    value = choices.chance(50) ? combined(choices, other, value) : combined(choices, value, other);
  }
  if (type == inner) return value;
  return {compared(choices, value, operand(choices, plan, loops, inner)), 1};
}

void Builder::add_compute(Choices& choices) {
  Plan plan = make_plan(choices);
  const Type type = draw_type(choices, plan);
  // The order of the indices: as planned, or shuffled, which transposes.
  std::vector<std::size_t> order(plan.spatial.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  if (choices.chance(40)) {
    for (std::size_t d = order.size(); d > 1; --d)
      std::swap(order[d - 1], order[choices.below(static_cast<std::uint32_t>(d))]);
  }
  ir::ReducerKind kind = ir::ReducerKind::kSum;
  if (type.is_bool()) {
    kind = choices.chance(50) ? ir::ReducerKind::kAll : ir::ReducerKind::kAny;
  } else {
    kind = std::vector<ir::ReducerKind>{ir::ReducerKind::kSum, ir::ReducerKind::kMax, ir::ReducerKind::kMin,
                                        ir::ReducerKind::kProd}[choices.weighted({50, 20, 15, 15})];
  }
  if (wish_.reducer && is_logical(*wish_.reducer) == type.is_bool()) kind = *wish_.reducer;

  Made made;
  std::vector<Expr> shape;
  double reduced = 1;
  for (const Loop& loop : plan.reduce) reduced *= static_cast<double>(loop.extent.value());
  for (const Loop& loop : plan.reduce) {
    if (!loop.extent.is_constant()) reduced *= 16;  // another value of the symbol
  }
  for (const std::size_t d : order) made.shape.push_back(plan.spatial[d].extent);
  for (const Dim& extent : made.shape) shape.push_back(extent.expr());
  const auto body = [&](std::span<const Expr> indices) {
    for (std::size_t d = 0; d < order.size(); ++d) plan.spatial[order[d]].var = indices[d];
    Value value = body_value(choices, plan, type);
    if (!plan.is_reduction) {
      made.bound = value.bound;
      return value.e;
    }
    value = reducible(kind, value, reduced);
    made.bound = reduced_bound(kind, value, reduced);
    return reduce(kind, value.e, plan.reduce_axes);
  };
  made.tensor = compute_span(shape, body, "T" + std::to_string(computes_.size()));
  if (plan.is_reduction) result_.reducers.push_back(kind);
  computes_.push_back(std::move(made));
  is_read_.push_back(false);
  wants_output_.push_back(choices.chance(15));
}

}  // namespace

std::vector<Tensor> Expression::arguments() const {
  std::vector<Tensor> all = inputs;
  all.insert(all.end(), outputs.begin(), outputs.end());
  return all;
}

std::string Expression::str() const {
  std::string text;
  for (const Symbol& symbol : symbols) text += symbol.var.name() + " = " + std::to_string(symbol.value) + "\n";
  for (const Tensor& input : inputs) text += to_string(input) + "\n";
  for (const Tensor& tensor : computes) {
    const bool is_output = std::find(outputs.begin(), outputs.end(), tensor) != outputs.end();
    text += to_string(tensor.op()) + (is_output ? "  (output)\n" : "\n");
  }
  return text;
}

ExpressionChoices draw_expression(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr int kCounts[] = {1, 1, 2, 2, 2, 3, 3, 4, 5};
  ExpressionChoices result;
  for (int n = kCounts[random() % std::size(kCounts)]; n > 0; --n) result.emplace_back(random());
  return result;
}

Expression make_expression(ExpressionChoices& choices, const ExpressionWish& wish) {
  Builder builder(wish);
  for (Choices& compute : choices) builder.add_compute(compute);
  return builder.finish();
}

}  // namespace nestwright::property
