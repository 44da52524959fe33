// The operators that an expression text writes between their operands, and how tightly they bind: as in C.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "nestwright/expr_nodes.h"

namespace nestwright::text {

/// Levels of operators, from 0, the loosest: || && | ^ & comparisons, shifts, sums, products.
inline constexpr int kInfixLevels = 9, kComparisonLevel = 5;

struct InfixOperator {
  const char* symbol;
  int level;  ///< larger binds tighter; operators of one level group from the left
  /// None for operators on bits, which are functions of text/syntax/functions.h that are named by their symbols.
  std::optional<ir::BinaryOp> op;
};

/// nullptr where there is none of that symbol.
const InfixOperator* find_infix(std::string_view symbol);

}  // namespace nestwright::text
