// Matrix products over packed words, for dot-product instructions: a word holds four bytes or two halves of A or B
// along the reduction. Internal to templates/matmul. Thread rule: pure functions.
#pragma once

#include "nestwright/expr_nodes.h"
#include "nestwright/template.h"
#include "templates/matmul/form.h"

namespace nestwright {

struct WordKind {
  ir::Intrinsic dot;
  std::int64_t parts;         ///< steps of the reduction in a word
  bool shifted_b = false;     ///< B + 128 is multiplied in place of B, as the first operand
  std::int64_t multiple = 1;  ///< the number of words is padded with zeros to a multiple of this
};

/// Words of A that are contiguous in memory need no copy (copies_a); others are best packed once.
///
/// An instruction that multiplies unsigned bytes by signed ones serves two signed operands, too (shifted_b): B + 128 is
/// unsigned, and sum A*B = sum A*(B + 128) - 128 * sum A, where the last sum is one of the rows of A.
MatmulForm make_word_form(const Workload& workload, const Definition& definition, const WordKind& kind);

/// The loops of that form.
MatmulShape word_shape(const Workload& workload, const WordKind& kind);

}  // namespace nestwright
