// Finds how a term depends on the elements of one tensor: scale * element + offset.
//
//   (X[i, j] - M[j]) * S[j] / sqrt(V[j] + 1e-5)     in X: S[j] / sqrt(V[j] + 1e-5), -M[j] * (S[j] / sqrt(V[j] + 1e-5))
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>

#include "text/syntax/program.h"

namespace nestwright {

/// Terms that do not read the tensor; absent: 1 and 0.
struct LinearForm {
  std::optional<text::Term> scale, offset;
};

/// nullopt if the term is not linear in the tensor, or does not read it.
std::optional<LinearForm> linear_form(const text::Term& term, const std::string& tensor);

text::Term binary_term(ir::BinaryOp op, text::Term a, text::Term b);

/// `inner` as the element of `outer`.
LinearForm composed(const LinearForm& outer, const LinearForm& inner);

}  // namespace nestwright
