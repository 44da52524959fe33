#include "tests/property/expression.h"

#include <algorithm>

#include "nestwright/reduction.h"
#include "tests/property/builder.h"

namespace nestwright::property {
namespace {

constexpr std::int64_t kMaxElements = 4000;
constexpr int kMaxInputs = 4;

}  // namespace

Type Builder::draw_type(Choices& choices, const Plan& plan, bool may_be_logical) const {
  static const std::vector<Type> numbers = {kInt8, kUInt8, kInt16, kUInt16, kUInt32, kUInt64, kFloat16, kBFloat16};
  const std::size_t drawn = choices.weighted({40, 18, 10, 8, 16, 8});
  const Type number = std::vector<Type>{kFloat32, kInt32, kInt64, kFloat64, choices.of(numbers), kFloat32}[drawn];
  const bool logical = plan.is_reduction && goal_.reducer ? is_logical(*goal_.reducer) : drawn == 5;
  if (logical && may_be_logical) return kBool;
  // Larger sums would not be exact.
  const bool narrow = number.is_float() && number.bits == 16;
  return narrow && plan.points > 60 ? Type(kFloat32) : number;
}

Made Builder::new_input(std::vector<Dim> shape, Type type, std::vector<Expr> strides) {
  const std::string name(1, static_cast<char>('A' + inputs_.size()));
  Made made{placeholder(exprs(shape), type, name, std::move(strides)), std::move(shape), 4};
  inputs_.push_back(made);
  result_.inputs.push_back(made.tensor);
  return made;
}

Value Builder::input(Choices& choices, const std::vector<Loop>& loops, Type type) {
  const bool is_new = inputs_.empty() || (static_cast<int>(inputs_.size()) < kMaxInputs && choices.chance(60));
  if (!is_new) return read(choices, choices.of(inputs_), loops);
  std::vector<Index> indices;
  std::vector<Dim> dims;
  std::int64_t elements = 1;
  // Usually as many dimensions as there are loops, each loop once.
  std::vector<Loop> left = loops;
  const int rank = choices.chance(30) ? choices.between(0, kMaxRank)
                                      : static_cast<int>(std::min<std::size_t>(loops.size(), kMaxRank));
  for (int d = 0; d < rank; ++d) {
    Index index = draw_index(choices, loops);
    if (!left.empty() && !choices.chance(35)) {
      const std::size_t n = choices.below(static_cast<std::uint32_t>(left.size()));
      index = {left[n].var, Dim::constant(0), plus(left[n].extent, -1)};
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(n));
    }
    Dim extent = plus(index.greatest, 1 + (choices.chance(10) ? choices.between(1, 2) : 0));
    if (!plus(extent, -1).is_non_negative()) extent = Dim::constant(1);
    if (elements * extent.value() > kMaxElements) break;
    elements *= extent.value();
    dims.push_back(extent);
    indices.push_back(index);
  }
  const std::vector<Expr> shape = exprs(dims);
  std::vector<Expr> strides;
  if (choices.chance(10)) {  // padded rows, or column-major order
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
  return read_at(choices, new_input(std::move(dims), element, std::move(strides)), indices);
}

Value Builder::operand(Choices& choices, const std::vector<Loop>& loops, Type type) {
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
  return converted(input(choices, loops, type), type);
}

Value Builder::body_value(Choices& choices, const Plan& plan, Type type) {
  const std::vector<Loop> loops = plan.loops();
  // A truth value is usually a comparison.
  const Type inner = type.is_bool() && !choices.chance(30) ? Type(kInt32) : type;
  Value value;
  if (plan.primary >= 0) {
    std::vector<Index> indices;
    for (const auto& make : plan.indices) indices.push_back(make(plan));
    value = converted(read_at(choices, computes_[static_cast<std::size_t>(plan.primary)], indices), inner);
  } else {
    value = operand(choices, loops, inner);
  }
  for (int more = static_cast<int>(choices.weighted({30, 50, 20})); more > 0; --more) {
    const Value other = operand(choices, loops, inner);
    value = choices.chance(50) ? combined(choices, other, value) : combined(choices, value, other);
  }
  if (type == inner) return value;
  return {compared(choices, value, operand(choices, loops, inner)), 1};
}

std::string Builder::next_name(const std::string& part) const {
  return "T" + std::to_string(computes_.size()) + (part.empty() ? "" : "." + part);
}

void Builder::add_result(Made made, bool wants_output) {
  computes_.push_back(std::move(made));
  is_read_.push_back(false);
  wants_output_.push_back(wants_output);
}

Value Builder::read_compute(Choices& choices, std::size_t n, const std::vector<Loop>& loops) {
  is_read_[n] = true;
  return read(choices, computes_[n], loops);
}

void Builder::add_plain(Choices& choices) {
  Plan plan = make_plan(choices, goal_.reducer ? 75 : 45);
  const Type type = draw_type(choices, plan, true);
  const std::vector<std::size_t> order = draw_order(choices, plan);
  ir::ReducerKind kind = ir::ReducerKind::kSum;
  if (type.is_bool()) {
    kind = choices.chance(50) ? ir::ReducerKind::kAll : ir::ReducerKind::kAny;
  } else {
    kind = std::vector<ir::ReducerKind>{ir::ReducerKind::kSum, ir::ReducerKind::kMax, ir::ReducerKind::kMin,
                                        ir::ReducerKind::kProd}[choices.weighted({50, 20, 15, 15})];
  }
  const bool has_goal = goal_.reducer && *goal_.reducer != ir::ReducerKind::kCustom;
  if (has_goal && is_logical(*goal_.reducer) == type.is_bool()) kind = *goal_.reducer;

  Made made;
  made.shape = plan.shape(order);
  const double reduced = plan.reduced();
  const auto body = [&](std::span<const Expr> indices) {
    plan.bind(order, indices);
    Value value = body_value(choices, plan, type);
    if (!plan.is_reduction) {
      made.bound = value.bound;
      return value.e;
    }
    value = reducible(kind, value, reduced);
    made.bound = reduced_bound(kind, value, reduced);
    return reduce(kind, value.e, plan.reduce_axes);
  };
  made.tensor = compute_span(exprs(made.shape), body, next_name());
  result_.computes.push_back(made.tensor);
  if (plan.is_reduction) result_.reducers.push_back(kind);
  add_result(std::move(made), choices.chance(15));
}

void Builder::add_unit(Choices& choices) {
  const auto more = [](bool goal) { return goal ? 70u : 0u; };
  const bool wants_tuple = goal_.reducer == ir::ReducerKind::kCustom;
  switch (choices.weighted({70, 10 + more(wants_tuple), 10 + more(goal_.scan), 10 + more(goal_.tile)})) {
    case 1:
      return add_tuple(choices);
    case 2:
      return add_scan(choices);
    case 3:
      return add_tile(choices);
    default:
      return add_plain(choices);
  }
}

Expression Builder::finish() {
  for (std::size_t n = 0; n < computes_.size(); ++n)
    if (!is_read_[n] || wants_output_[n]) result_.outputs.push_back(computes_[n].tensor);
  return std::move(result_);
}

std::vector<Tensor> Expression::arguments() const {
  std::vector<Tensor> all = inputs;
  all.insert(all.end(), outputs.begin(), outputs.end());
  return all;
}

std::string Expression::str() const {
  std::string text;
  for (const Symbol& symbol : symbols) text += symbol.var.name() + " = " + std::to_string(symbol.value) + "\n";
  for (const Tensor& input : inputs) text += to_string(input) + "\n";
  for (const Tensor& tensor : computes) text += to_string(tensor.op()) + "\n";
  text += "outputs:";
  for (const Tensor& output : outputs) text += " " + output.name();
  text += "\n";
  return text;
}

ExpressionChoices draw_expression(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr int kCounts[] = {1, 1, 2, 2, 2, 3, 3, 4, 5};
  ExpressionChoices result;
  for (int n = kCounts[random() % std::size(kCounts)]; n > 0; --n) result.emplace_back(random());
  return result;
}

Expression make_expression(ExpressionChoices& choices, const ExpressionGoal& goal) {
  Builder builder(goal);
  for (Choices& unit : choices) builder.add_unit(unit);
  return builder.finish();
}

}  // namespace nestwright::property
