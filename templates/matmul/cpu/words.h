// Products over words: four bytes or two halves of A and of B along the reduction, which one instruction multiplies and
// adds up. Internal to templates/matmul. Thread rule: pure functions.
#pragma once

#include "ir/core/expr.h"
#include "templates/framework/template.h"
#include "templates/matmul/form.h"

namespace nestwright {

struct WordKind {
  ir::Intrinsic dot;
  std::int64_t parts;         ///< steps of the reduction a word
  bool shifted_b = false;     ///< B + 128 is what is multiplied, and the first operand
  std::int64_t multiple = 1;  ///< what the number of words is made up to; the words past the end are 0
};

/// Words of A that lie in memory as they are need no copy (copies_a); others are best made once.
///
/// An instruction that takes unsigned bytes times signed ones does for two signed operands, too (shifted_b): B + 128 is
/// unsigned, and sum A*B = sum A*(B + 128) - 128 * sum A, where the last sum is one of the rows of A.
MatmulForm make_word_form(const Workload& workload, const Definition& definition, const WordKind& kind);

/// The loops of that form.
MatmulShape word_shape(const Workload& workload, const WordKind& kind);

}  // namespace nestwright
