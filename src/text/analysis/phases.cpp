#include "text/analysis/phases.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "text/analysis/interval.h"
#include "text/syntax/functions.h"

namespace nestwright::text {
namespace {

Term integer(std::int64_t value) { return {.value = Integer{value}}; }
Term index(const std::string& name) { return {.value = IndexValue{name}}; }
Term binary(ir::BinaryOp op, Term a, Term b) {
  const int height = std::max(a.height, b.height) + 1;
  return {.height = height, .value = BinaryTerm{op, {std::move(a), std::move(b)}}};
}
Term sum_of(Term a, Term b) { return binary(ir::BinaryOp::kAdd, std::move(a), std::move(b)); }
Term product_of(std::int64_t factor, Term a) { return binary(ir::BinaryOp::kMul, integer(factor), std::move(a)); }

bool is_zero(const Term& term) {
  if (const auto* whole = std::get_if<Integer>(&term.value)) return whole->value == 0;
  const auto* real = std::get_if<Real>(&term.value);
  return real != nullptr && real->value == 0;
}

/// dividend % modulus == remainder
struct Congruence {
  Linear dividend;
  std::int64_t modulus = 1, remainder = 0;
};

struct Remainder {
  Linear dividend;
  std::int64_t modulus = 1;
};

std::optional<Remainder> remainder_of(const Term& term) {
  const Term* dividend = nullptr;
  std::int64_t modulus = 0;
  if (const auto* operation = std::get_if<BinaryTerm>(&term.value)) {
    const auto* divisor = std::get_if<Integer>(&operation->operands[1].value);
    if (operation->op != ir::BinaryOp::kMod || divisor == nullptr) return std::nullopt;
    dividend = operation->operands.data();
    modulus = divisor->value;
  } else if (const auto* call = std::get_if<FunctionCall>(&term.value); call != nullptr && call->name == "&") {
    const auto* mask = std::get_if<Integer>(&call->arguments[1].value);
    if (mask == nullptr || mask->value < 1 || (mask->value & (mask->value + 1)) != 0) return std::nullopt;
    dividend = call->arguments.data();
    modulus = mask->value + 1;
  }
  constexpr std::int64_t kMaxModulus = 4096;  // far above strides, so that products below do not overflow
  if (dividend == nullptr || modulus < 2 || modulus > kMaxModulus) return std::nullopt;
  std::optional<Linear> linear = linear_of(*dividend);
  if (!linear) return std::nullopt;
  linear->constant = ir::floor_mod(linear->constant, modulus);
  for (auto& [name, coefficient] : linear->coefficients) coefficient = ir::floor_mod(coefficient, modulus);
  return Remainder{*std::move(linear), modulus};
}

std::optional<Congruence> congruence_of(const Term& term) {
  const auto* comparison = std::get_if<BinaryTerm>(&term.value);
  if (comparison == nullptr || comparison->op != ir::BinaryOp::kEq) return std::nullopt;
  const Term *left = comparison->operands.data(), *right = left + 1;
  if (std::holds_alternative<Integer>(left->value)) std::swap(left, right);
  std::optional<Remainder> remainder = remainder_of(*left);
  if (!remainder) return std::nullopt;
  if (const auto* literal = std::get_if<Integer>(&right->value)) {
    if (literal->value < 0 || literal->value >= remainder->modulus) return std::nullopt;
    return Congruence{std::move(remainder->dividend), remainder->modulus, literal->value};
  }
  const std::optional<Remainder> other = remainder_of(*right);
  if (!other || other->modulus != remainder->modulus) return std::nullopt;
  Linear& difference = remainder->dividend;
  difference.constant -= other->dividend.constant;
  for (const auto& [name, coefficient] : other->dividend.coefficients) difference.coefficients[name] -= coefficient;
  return Congruence{std::move(difference), remainder->modulus, 0};
}

/// The only one of `axes` whose value changes the remainder; -1 where there is none, -2 where there are several.
int moving_axis(const Congruence& c, const std::vector<Axis>& axes) {
  int found = -1;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto coefficient = c.dividend.coefficients.find(axes[a].name);
    if (coefficient == c.dividend.coefficients.end() || coefficient->second % c.modulus == 0) continue;
    if (found >= 0) return -2;
    found = static_cast<int>(a);
  }
  return found;
}

/// x, for which factor * x % modulus == 1. Requires factors without a common divisor.
std::int64_t inverse_of(std::int64_t factor, std::int64_t modulus) {
  for (std::int64_t x = 0; x < modulus; ++x) {
    if (ir::floor_mod(factor * x - 1, modulus) == 0) return x;
  }
  return 0;
}

class PhaseFinder {
 public:
  explicit PhaseFinder(const Stage& stage) : stage_(stage) {}

  std::optional<PhasedSums> run() {
    if (stage_.reduction != ReductionKind::kSum) return std::nullopt;
    body_ = stage_.body;
    take_conditions(body_);
    if (result_.indices.empty()) return std::nullopt;
    guard_results();
    add_parts({});
    return std::move(result_);
  }

 private:
  /// Takes the conditions that phases decide out of the selects that make the term 0.
  void take_conditions(Term& factor) {
    if (auto* product = std::get_if<BinaryTerm>(&factor.value);
        product != nullptr && product->op == ir::BinaryOp::kMul) {
      for (Term& operand : product->operands) take_conditions(operand);
    } else if (auto* negation = std::get_if<Negation>(&factor.value)) {
      take_conditions(negation->operand[0]);
    } else if (auto* call = std::get_if<FunctionCall>(&factor.value)) {
      if (call->name != "select") {
        if (find_type(call->name)) take_conditions(call->arguments[0]);
        return;
      }
      if (!is_zero(call->arguments[2])) return;
      take_conditions(call->arguments[1]);
      if (!is_decided(call->arguments[0])) return;
      Term value = std::move(call->arguments[1]);
      factor = std::move(value);
    }
  }

  /// Whether phases decide all of the condition. Those of its conjuncts that they decide are taken out of it.
  bool is_decided(Term& condition) {
    auto* conjunction = std::get_if<BinaryTerm>(&condition.value);
    if (conjunction == nullptr || conjunction->op != ir::BinaryOp::kAnd) {
      const std::optional<Congruence> congruence = congruence_of(condition);
      return congruence && divide(*congruence);
    }
    const bool first = is_decided(conjunction->operands[0]), second = is_decided(conjunction->operands[1]);
    if (first != second) {
      Term rest = std::move(conjunction->operands[first ? 1 : 0]);
      condition = std::move(rest);
    }
    return first && second;
  }

  /// Divides the index of the result and that of the sum which the congruence is about.
  bool divide(const Congruence& c) {
    constexpr std::size_t kMaxIndices = 3;  // each may double the number of parts
    if (result_.indices.size() == kMaxIndices) return false;
    const int spatial = moving_axis(c, stage_.axes), reduced = moving_axis(c, stage_.reduce_axes);
    if (spatial < 0 || reduced < -1) return false;
    const Axis& y = stage_.axes[static_cast<std::size_t>(spatial)];
    const std::int64_t of_y = c.dividend.coefficients.at(y.name);
    if (std::gcd(of_y, c.modulus) != 1 || y.extent < c.modulus || !divided_.insert(y.name).second) return false;
    const Axis* r = reduced < 0 ? nullptr : &stage_.reduce_axes[static_cast<std::size_t>(reduced)];
    if (r != nullptr && !divided_.insert(r->name).second) return false;
    const std::int64_t of_r = r == nullptr ? 0 : c.dividend.coefficients.at(r->name);

    // of_y*y + of_r*r == wanted has solutions where y == first (mod step): y = modulus*quotient + step*k + first.
    const std::int64_t wanted = c.remainder - c.dividend.constant;
    PhasedIndex index{.axis = static_cast<std::size_t>(spatial), .modulus = c.modulus};
    index.step = std::gcd(of_r, c.modulus);
    index.first = ir::floor_mod(wanted * inverse_of(of_y, index.step), index.step);
    // Then (of_r/step)*r == (wanted - of_y*first)/step - of_y*k (mod phases).
    index.phases = c.modulus / index.step;
    const std::int64_t inverse = inverse_of(of_r / index.step, index.phases);
    const std::int64_t rest = ir::floor_div(wanted - of_y * index.first, index.step);
    index.factor = ir::floor_mod(-inverse * of_y, index.phases);
    index.constant = ir::floor_mod(inverse * ir::floor_mod(rest, index.phases), index.phases);
    result_.indices.push_back(index);
    reduced_.push_back(r);
    return true;
  }

  /// Elements past the end of the result are dropped, and read nothing.
  void guard_results() {
    for (const PhasedIndex& divided : result_.indices) {
      const Axis& axis = stage_.axes[divided.axis];
      if (axis.extent % divided.modulus == 0 || !is_read_without_padding(body_, axis.name)) continue;
      Term inside = binary(ir::BinaryOp::kLt, index(axis.name), integer(axis.extent));
      const int height = std::max(inside.height, body_.height) + 1;
      FunctionCall chosen{"select", {}};
      chosen.arguments.push_back(std::move(inside));
      chosen.arguments.push_back(std::move(body_));
      chosen.arguments.push_back(integer(0));
      body_ = {.height = height, .value = std::move(chosen)};
    }
  }

  /// The parts that begin with these ranges.
  void add_parts(const std::vector<PhaseRange>& ranges) {
    if (ranges.size() == result_.indices.size()) {
      result_.parts.push_back({ranges, part_of(ranges)});
      return;
    }
    const std::int64_t phases = result_.indices[ranges.size()].phases;
    const Axis* const r = reduced_[ranges.size()];
    const std::int64_t longer = phases == 1 ? 0 : r->extent % phases;  // phases that have one term more
    for (const PhaseRange range : {PhaseRange{0, longer}, PhaseRange{longer, phases - longer}}) {
      if (range.count == 0) continue;
      std::vector<PhaseRange> more = ranges;
      more.push_back(range);
      add_parts(more);
    }
  }

  std::optional<Stage> part_of(const std::vector<PhaseRange>& ranges) const {
    Stage sums{.tensor = stage_.tensor, .axes = {}, .reduce_axes = {}, .reduction = stage_.reduction, .body = body_};
    std::map<std::string, Term, std::less<>> values;
    std::map<std::string, std::int64_t, std::less<>> extents;
    std::map<std::string, Axis, std::less<>> inner;  // axes of phases, by what they follow
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const PhasedIndex& divided = result_.indices[i];
      const Axis& y = stage_.axes[divided.axis];
      // k, of which the phase is factor*k + constant
      const std::int64_t factor = inverse_of(divided.factor, divided.phases);
      const std::int64_t constant = ir::floor_mod(-factor * divided.constant, divided.phases);
      Term phase = integer(ranges[i].low);
      Term k = integer((factor * ranges[i].low + constant) % divided.phases);
      if (ranges[i].count > 1) {
        const Axis of_phases{y.name + ".phase", ranges[i].count};
        if (divided.has_inner_phases()) {
          inner.emplace(y.name, of_phases);
        } else {
          sums.axes.push_back(of_phases);
        }
        phase = sum_of(index(of_phases.name), std::move(phase));
        k = binary(ir::BinaryOp::kMod, sum_of(product_of(factor, phase), integer(constant)), integer(divided.phases));
      }
      values[y.name] = sum_of(product_of(divided.modulus, index(y.name)),
                              sum_of(product_of(divided.step, std::move(k)), integer(divided.first)));
      extents[y.name] = ir::floor_div(y.extent + divided.modulus - 1, divided.modulus);
      if (divided.phases == 1) continue;
      const Axis& r = *reduced_[i];
      if (r.extent <= ranges[i].low) return std::nullopt;
      values[r.name] = sum_of(product_of(divided.phases, index(r.name)), std::move(phase));
      extents[r.name] = ir::floor_div(r.extent - ranges[i].low + divided.phases - 1, divided.phases);
    }
    const auto take = [&](const std::vector<Axis>& from, std::vector<Axis>& to) {
      for (Axis axis : from) {
        const auto divided = extents.find(axis.name);
        if (divided != extents.end()) axis.extent = divided->second;
        const auto phases = inner.find(axis.name);
        to.push_back(std::move(axis));
        if (phases != inner.end()) to.push_back(phases->second);
      }
    };
    take(stage_.axes, sums.axes);
    take(stage_.reduce_axes, sums.reduce_axes);
    replace_indices(sums.body, values);
    return sums;
  }

  static bool mentions(const Term& term, const std::string& name) {
    if (const auto* value = std::get_if<IndexValue>(&term.value)) return value->name == name;
    bool found = false;
    for_each_operand(term, [&](const Term& operand) { found = found || mentions(operand, name); });
    return found;
  }

  static bool is_read_without_padding(const Term& body, const std::string& name) {
    bool found = false;
    for_each_access(body, [&](const Access& access, const Term& term, bool) {
      found = found || (!access.padding && mentions(term, name));
    });
    return found;
  }

  static void replace_indices(Term& term, const std::map<std::string, Term, std::less<>>& values) {
    if (const auto* value = std::get_if<IndexValue>(&term.value)) {
      const auto found = values.find(value->name);
      if (found != values.end()) term = Term(found->second);
      return;
    }
    for_each_operand(term, [&](Term& operand) { replace_indices(operand, values); });
  }

  /// The operands of any term, and the indices of an access.
  template <class T, class F>
  static void for_each_operand(T& term, const F& visit) {
    std::visit(
        [&]<class Node>(Node& node) {
          using Plain = std::remove_const_t<Node>;
          if constexpr (std::is_same_v<Plain, Access>) {
            for (auto& index : node.indices) visit(index);
          } else if constexpr (std::is_same_v<Plain, Negation> || std::is_same_v<Plain, Complement>) {
            visit(node.operand[0]);
          } else if constexpr (std::is_same_v<Plain, BinaryTerm>) {
            for (auto& operand : node.operands) visit(operand);
          } else if constexpr (std::is_same_v<Plain, FunctionCall>) {
            for (auto& argument : node.arguments) visit(argument);
          }
        },
        term.value);
  }

  const Stage& stage_;
  PhasedSums result_;
  std::vector<const Axis*> reduced_;  ///< the axis of the sum that goes with each index; nullptr: none
  std::set<std::string, std::less<>> divided_;
  Term body_;  ///< without the conditions that phases decide
};

}  // namespace

std::optional<PhasedSums> find_phases(const Stage& stage) { return PhaseFinder(stage).run(); }

}  // namespace nestwright::text
