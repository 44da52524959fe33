// How random expressions read tensors: indices made from loops, and what keeps them inside.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "tests/property/choices.h"
#include "tests/property/dim.h"
#include "tests/property/value.h"

namespace nestwright::property {

/// A loop of the compute that is being made: an index of it or an axis of its reduction.
struct Loop {
  Expr var;
  Dim extent;
  bool is_reduce = false;
};

/// An index expression with the least and the greatest value that it takes.
struct Index {
  Expr e;
  Dim least, greatest;
};

/// A tensor with what is known of it.
struct Made {
  Tensor tensor;
  std::vector<Dim> shape;
  double bound = 0;
};

std::vector<Expr> exprs(const std::vector<Dim>& extents);

/// A loop, a constant, a shifted, strided, reversed, divided, wrapped, flattened or twisted one.
Index draw_index(Choices& choices, const std::vector<Loop>& loops);

/// One that fits `extent` in most cases: a loop of that extent, where there is one.
Index index_into(Choices& choices, const Dim& extent, const std::vector<Loop>& loops);
/// The loop itself.
Index index_of(const Loop& loop);

/// Reads an existing tensor at random indices. Those that might lie outside are wrapped around or clamped, or the whole
/// read is padded by a select.
Value read(Choices& choices, const Made& from, const std::vector<Loop>& loops);
/// Reads `from` at these indices, kept inside likewise.
Value read_at(Choices& choices, const Made& from, const std::vector<Index>& indices);

}  // namespace nestwright::property
