// Reads of tensors in random expressions: indices made from loops, kept in bounds.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "tests/property/choices.h"
#include "tests/property/dim.h"
#include "tests/property/value.h"

namespace nestwright::property {

/// A loop of the compute under construction: an index of it, or an axis of its reduction.
struct Loop {
  Expr var;
  Dim extent;
  bool is_reduce = false;
};

/// An index expression with its smallest and its largest value.
struct Index {
  Expr e;
  Dim least, greatest;
};

/// A tensor with its shape and a bound on its values.
struct Made {
  Tensor tensor;
  std::vector<Dim> shape;
  double bound = 0;
};

std::vector<Expr> exprs(const std::vector<Dim>& extents);

/// A random index: a loop or constant, or a loop shifted, strided, reversed, divided, wrapped, flattened or twisted.
Index draw_index(Choices& choices, const std::vector<Loop>& loops);

/// A random index that usually fits `extent`: a loop of that extent, where there is one.
Index index_into(Choices& choices, const Dim& extent, const std::vector<Loop>& loops);
/// The loop itself.
Index index_of(const Loop& loop);

/// Reads an existing tensor at random indices. Indices that might be out of bounds are wrapped or clamped, or a select
/// pads the whole read.
Value read(Choices& choices, const Made& from, const std::vector<Loop>& loops);
/// Reads `from` at the given indices, kept in bounds in the same way.
Value read_at(Choices& choices, const Made& from, const std::vector<Index>& indices);

}  // namespace nestwright::property
