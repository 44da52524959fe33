// Computes what a text's last statements make of the first one's sums, where a template has these sums in another shape
// than the text.
//
//   T[n, o, y, x] = sum(c, W[o, c]*X[n, c, y, x]); Y[n, o, y, x] = max(T[n, o, y, x] + R[n, o, y, x] + b[o], 0)   n=1
//   with the sums AB[o, j], j = (y, x):   Y[o, j] = max(AB[o, j] + R[o, j] + b[o], 0), passed as Y[n, o, y, x]
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nestwright/template.h"
#include "nestwright/tensor.h"
#include "text/syntax/program.h"

namespace nestwright {

/// The shape of the sums: each dimension runs over some axes of the text's result, the slowest first. Every axis of an
/// extent above 1 belongs to one dimension.
using SumsDimensions = std::vector<std::vector<std::size_t>>;

/// The element of the sums at the indices of their dimensions.
using SumsElement = std::function<Expr(std::span<const Expr>)>;

/// Replaces the last of `args`, the text's result, by one whose elements are computed from `sums` and which has its
/// shape; and those inputs that it reads at all axes of a dimension by tensors in which these are one dimension. Calls
/// pass all of them in the shapes of the text. `first`: the tensor of the first statement. Requires an epilogue
/// (text/analysis/epilogue.h).
void finish_sums(std::vector<Tensor>& args, const std::string& first, const SumsDimensions& dimensions,
                 const SumsElement& sums);

/// The dimensions of sums, each of which runs over axes of the first statement: the axes of `result`, the text's, that
/// have the same values. Requires an epilogue.
SumsDimensions dimensions_in(const Tensor& result, const text::Program& program,
                             const std::vector<std::vector<std::string>>& axes);

}  // namespace nestwright
