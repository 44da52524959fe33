#include "text/syntax/infix.h"

#include <algorithm>
#include <iterator>

namespace nestwright::text {
namespace {

using ir::BinaryOp;

constexpr InfixOperator kOperators[] = {
    {"||", 0, BinaryOp::kOr},
    {"&&", 1, BinaryOp::kAnd},
    {"|", 2, {}},
    {"^", 3, {}},
    {"&", 4, {}},
    {"==", kComparisonLevel, BinaryOp::kEq},
    {"!=", kComparisonLevel, BinaryOp::kNe},
    {"<=", kComparisonLevel, BinaryOp::kLe},
    {">=", kComparisonLevel, BinaryOp::kGe},
    {"<", kComparisonLevel, BinaryOp::kLt},
    {">", kComparisonLevel, BinaryOp::kGt},
    {"<<", 6, {}},
    {">>", 6, {}},
    {"+", 7, BinaryOp::kAdd},
    {"-", 7, BinaryOp::kSub},
    {"*", 8, BinaryOp::kMul},
    {"/", 8, BinaryOp::kDiv},
    {"%", 8, BinaryOp::kMod},
};

}  // namespace

const InfixOperator* find_infix(std::string_view symbol) {
  const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                   [&](const InfixOperator& known) { return known.symbol == symbol; });
  return found == std::end(kOperators) ? nullptr : found;
}

}  // namespace nestwright::text
