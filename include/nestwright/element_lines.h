// Weighted sums over lines of a tensor's elements. A result that is too large to be compared with expected values one
// by one is compared with expected sums, each over many elements: if the weights are random, a wrong element changes
// its line's sum.
//
//   a matrix of 2 x 5 elements whose rows lie 8 apart, in lines of at most 3 elements:
//   {.outer = 2, .outer_step = 8, .length = 5, .segment = 3}
//   has the lines {0, 1, 2}, {3, 4}, {8, 9, 10}, {11, 12}
//
// Thread rule: values and pure functions. Unit: elements of the tensor, by their place in memory.
#pragma once

#include <cstdint>
#include <span>

#include "nestwright/type.h"

#pragma GCC visibility push(default)

namespace nestwright::ir {

/// Element `e` of line ((b * outer + o) * segments() + s) * inner + i lies at
/// b * batch_step + o * outer_step + (s * segment + e) * step + i. All places differ.
struct ElementLines {
  std::int64_t batch = 1, batch_step = 0;
  std::int64_t outer = 1, outer_step = 0;
  std::int64_t length = 1, step = 1;  ///< of the dimension along which the lines run
  std::int64_t inner = 1;             ///< neighbours in memory, each in a line of its own
  std::int64_t segment = 1;           ///< the most elements of a line; the last of a dimension may have fewer

  std::int64_t segments() const { return (length + segment - 1) / segment; }
  /// The groups of `inner` lines that lie between each other.
  std::int64_t groups() const { return batch * outer * segments(); }
  std::int64_t lines() const { return groups() * inner; }
  std::int64_t elements() const { return batch * outer * length * inner; }
  /// The first element of a group, and the elements of each of its lines.
  std::int64_t first_of(std::int64_t group) const {
    const std::int64_t row = group / segments();
    return row / outer * batch_step + row % outer * outer_step + group % segments() * segment * step;
  }
  std::int64_t length_of(std::int64_t group) const {
    const std::int64_t before = group % segments() * segment;
    return segment < length - before ? segment : length - before;
  }
};

/// The lines of a compact tensor of so many elements.
inline ElementLines compact_lines(std::int64_t elements, std::int64_t segment) {
  return {.length = elements, .segment = segment};
}

/// Sets sums[i], i < inner, to the sum of the elements of line i of a group, each times the weight of its number in the
/// line. `weights` has a number for each element of a line, `sums` one for each line of the group.
void sum_lines(const ElementLines& lines, std::int64_t group, Type type, const void* memory,
               std::span<const double> weights, std::span<double> sums);

}  // namespace nestwright::ir

#pragma GCC visibility pop
