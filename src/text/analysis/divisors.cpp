// Refuses integers that may be divided by 0, which has no result: no kernel could be checked on such data.
#include <algorithm>

#include "text/analysis/interval.h"
#include "text/syntax/expression_error.h"
#include "text/syntax/functions.h"

namespace nestwright::text {
namespace {

class DivisorChecker {
 public:
  DivisorChecker(const Program& program, const Stage& stage) : program_(program), leaves_(leaves_of(program, stage)) {}

  void check(const Term& body) const {
    for_each_term(body, [this](const Term& term, bool guarded) {
      const auto* binary = std::get_if<BinaryTerm>(&term.value);
      if (binary != nullptr && !guarded) check_binary(*binary);
    });
  }

 private:
  void check_binary(const BinaryTerm& binary) const {
    const bool divides = binary.op == ir::BinaryOp::kDiv || binary.op == ir::BinaryOp::kMod;
    const Term& divisor = binary.operands[1];
    if (!divides || is_nonzero(divisor)) return;
    const std::optional<ir::Type> type = type_of(divisor, leaves_);
    if (!type || !type->is_int()) return;
    throw ExpressionError(program_.text, first_character(divisor),
                          "this divisor may be 0: give the range of the tensor that it is read from, as in D: int32 in "
                          "[1, 100], or write max(..., 1)");
  }

  bool is_nonzero(const Term& term) const {
    if (const std::optional<ir::Interval> values = interval_of(term, leaves_)) return values->lo > 0 || values->hi < 0;
    if (const auto* negation = std::get_if<Negation>(&term.value)) return is_nonzero(negation->operand[0]);
    const auto* call = std::get_if<FunctionCall>(&term.value);
    if (call == nullptr) return false;
    const auto is_above_0 = [this](const Term& argument) {
      const std::optional<ir::Interval> values = interval_of(argument, leaves_);
      return values && values->lo > 0;
    };
    if (call->name == "max") return std::any_of(call->arguments.begin(), call->arguments.end(), is_above_0);
    if (call->name == "select") return is_nonzero(call->arguments[1]) && is_nonzero(call->arguments[2]);
    return false;
  }

  const Program& program_;
  Leaves leaves_;
};

}  // namespace

void check_divisors(const Program& program) {
  for (const Stage& stage : program.stages) DivisorChecker(program, stage).check(stage.body);
}

}  // namespace nestwright::text
