// Refuses arithmetic on indices that may overflow: kernels are compiled as if it never did. Other integers wrap
// around.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string_view>

#include "text/analysis/interval.h"
#include "text/syntax/expression_error.h"
#include "text/syntax/functions.h"
#include "text/syntax/program.h"

namespace nestwright::text {
namespace {

/// What the terms of a sum add up to at most, if all had one sign: kernels multiply products of sums out, and add their
/// terms in another order. Terms with data count as 0, unless they are clamped, which kernels take for indices. In
/// double, as rounding is far less than what kLimit leaves.
struct Magnitude {
  double indices = 0;   ///< of the terms with an index
  double literals = 0;  ///< of the others
  double sum() const { return indices + literals; }
};

/// Half of what 64 bits hold: kernels compare the difference of two sums with 0.
constexpr double kLimit = 0x1p62;

/// Of a term that is not taken apart.
Magnitude whole(double magnitude, bool has_index) {
  return has_index ? Magnitude{magnitude, 0} : Magnitude{0, magnitude};
}

Magnitude product(Magnitude a, Magnitude b) {
  return {a.indices * b.sum() + a.literals * b.indices, a.literals * b.literals};
}

Magnitude quotient(Magnitude a, double divisor) { return whole(a.sum() / divisor + 1, a.indices > 0); }

/// By name, the elements of tensors that a kernel may compute where it reads them.
using ComputedElements = std::map<std::string_view, Magnitude>;

bool is_literal(const Term& term) {
  const auto* const negation = std::get_if<Negation>(&term.value);
  return std::holds_alternative<Integer>(negation == nullptr ? term.value : negation->operand[0].value);
}

/// The other argument of `name`(x, literal), either way around; nullptr for any other term.
const Term* limited(const FunctionCall& call, std::string_view name) {
  if (call.name != name || call.arguments.size() != 2) return nullptr;
  if (is_literal(call.arguments[1])) return &call.arguments[0];
  return is_literal(call.arguments[0]) ? &call.arguments[1] : nullptr;
}

/// Whether a call has limits on both sides: clamp(x, c, d), min(max(x, c), d) or max(min(x, d), c).
bool is_clamped(const FunctionCall& call) {
  const auto is_limited = [](const Term* x, std::string_view name) {
    const auto* const inner = x == nullptr ? nullptr : std::get_if<FunctionCall>(&x->value);
    return inner != nullptr && limited(*inner, name) != nullptr;
  };
  return call.name == "clamp" || is_limited(limited(call, "min"), "max") || is_limited(limited(call, "max"), "min");
}

class OverflowChecker {
 public:
  OverflowChecker(const Program& program, const Stage& stage, const ComputedElements& computed)
      : program_(program), stage_(stage), computed_(computed) {}

  Magnitude check(const Term& term) const {
    return std::visit(ir::overloaded{
                          [](const Integer& n) { return of_literal(static_cast<double>(n.value)); },
                          [](const Real& n) { return of_literal(n.value); },
                          [&](const IndexValue& n) {
                            return Magnitude{static_cast<double>(stage_.find_axis(n.name)->extent - 1), 0};
                          },
                          [&](const Access& n) {
                            check_all(n.indices);
                            return of_element(n);
                          },
                          [&](const Negation& n) { return check(n.operand[0]); },
                          [&](const Complement& n) {
                            check_all(n.operand);
                            return Magnitude{};
                          },
                          [&](const BinaryTerm& n) { return of_binary(n, term.at); },
                          [&](const FunctionCall& n) { return of_call(n, term.at); },
                      },
                      term.value);
  }

 private:
  static Magnitude of_literal(double value) { return {0, std::min(std::abs(value), 2 * kLimit)}; }

  std::vector<Magnitude> check_all(const std::vector<Term>& terms) const {
    std::vector<Magnitude> magnitudes;
    for (const Term& term : terms) magnitudes.push_back(check(term));
    return magnitudes;
  }

  Magnitude of_element(const Access& access) const {
    const auto found = computed_.find(access.tensor);
    if (found == computed_.end()) return {};
    const Magnitude element = found->second;
    return access.padding ? whole(std::max(element.sum(), std::abs(*access.padding)), element.indices > 0) : element;
  }

  bool is_index(const Term& term) const { return type_of(term, leaves_of(program_, stage_)) == kIndex; }

  Magnitude fitting(Magnitude magnitude, std::size_t at) const {
    magnitude.literals = std::min(magnitude.literals, 2 * kLimit);
    if (magnitude.indices == 0 || magnitude.sum() < kLimit) return magnitude;
    throw ExpressionError(program_.text, at,
                          "this arithmetic on indices may overflow, as its terms may add up to 2^62 or more: make its "
                          "numbers smaller, or write uint64(...) around its indices, so that it wraps around");
  }

  Magnitude of_binary(const BinaryTerm& binary, std::size_t at) const {
    const Magnitude a = check(binary.operands[0]), b = check(binary.operands[1]);
    const bool has_index = a.indices > 0 || b.indices > 0;
    switch (binary.op) {
      case ir::BinaryOp::kAdd:
      case ir::BinaryOp::kSub:
        return fitting({a.indices + b.indices, a.literals + b.literals}, at);
      case ir::BinaryOp::kMul:
        return fitting(product(a, b), at);
      case ir::BinaryOp::kDiv:
        return std::holds_alternative<Integer>(binary.operands[1].value) ? quotient(a, std::max(b.literals, 1.0))
                                                                         : whole(a.sum(), has_index);
      case ir::BinaryOp::kMod:
        return whole(b.sum(), has_index);
      case ir::BinaryOp::kMin:
      case ir::BinaryOp::kMax:
      case ir::BinaryOp::kEq:
      case ir::BinaryOp::kNe:
      case ir::BinaryOp::kLt:
      case ir::BinaryOp::kLe:
      case ir::BinaryOp::kGt:
      case ir::BinaryOp::kGe:
      case ir::BinaryOp::kAnd:
      case ir::BinaryOp::kOr:
        break;
    }
    return {};
  }

  /// Other functions and conversions of indices give data.
  Magnitude of_call(const FunctionCall& call, std::size_t at) const {
    const std::vector<Magnitude> arguments = check_all(call.arguments);
    const Magnitude& first = arguments[0];
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), call.name) != names.end();
    };
    if (is_one_of({"int64", "floor", "ceil", "round", "trunc", "abs"})) return first;
    if (find_type(call.name)) return {0, first.indices > 0 ? 0 : first.literals};
    if (is_one_of({"&", "<<", ">>"})) return of_bits(call, first, at);
    if (!is_one_of({"min", "max", "clamp", "select"})) return {};
    double largest = 0;
    bool has_index = is_clamped(call) && std::any_of(call.arguments.begin(), call.arguments.end(),
                                                     [&](const Term& argument) { return is_index(argument); });
    for (std::size_t i = call.name == "select" ? 1 : 0; i < arguments.size(); ++i) {
      largest = std::max(largest, arguments[i].sum());
      has_index = has_index || arguments[i].indices > 0;
    }
    return whole(largest, has_index);
  }

  Magnitude of_bits(const FunctionCall& call, Magnitude a, std::size_t at) const {
    const auto* const literal = std::get_if<Integer>(&call.arguments[1].value);
    if (literal == nullptr || literal->value < 0) return {};
    if (call.name == "&") return whole(static_cast<double>(literal->value), a.indices > 0);
    constexpr std::int64_t kMostBits = 62;
    if (literal->value > kMostBits) return {};
    const double factor = std::ldexp(1.0, static_cast<int>(literal->value));
    return call.name == "<<" ? fitting(product(a, {0, factor}), at) : quotient(a, factor);
  }

  const Program& program_;
  const Stage& stage_;
  const ComputedElements& computed_;
};

}  // namespace

void check_overflow(const Program& program) {
  ComputedElements computed;
  for (const Stage& stage : program.stages) {
    const Magnitude body = OverflowChecker(program, stage, computed).check(stage.body);
    const TensorInfo& tensor = program.tensors[stage.tensor];
    if (!stage.reduction && tensor.type == kIndex) computed[tensor.name] = body;
  }
}

}  // namespace nestwright::text
