// Sums over terms that count only where an index has the right remainder, as those of a transposed convolution. The
// index becomes a quotient and a remainder, its phase: in each phase the same terms count, and only they are summed up.
//
//   Y[y] = sum(r, select((y + r)%2 == 0, X[(y + r)/2], 0) * W[r])                                  y of 16, r of 4
//
//   Y.phases[p, y] = sum(r, X[(2*y + p + 2*r + p%2)/2] * W[2*r + p%2])                   p of 2, y of 8, r of 2
//   Y[y] = Y.phases[y%2, y/2]
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "text/program.h"

namespace nestwright::text {

/// An index that was divided: its value is modulus*quotient + step*phase + first. Where `step` is not 1, the other
/// remainders have no terms, and their sums are 0.
struct PhasedIndex {
  std::size_t axis = 0;  ///< of the stage as it was written
  std::int64_t modulus = 1, step = 1, first = 0;
};

struct PhasedStage {
  Stage sums;                        ///< its axes are the phases, then those of the stage, the quotients among them
  std::vector<PhasedIndex> indices;  ///< one for each phase, in their order
};

/// Nothing where the sum has no terms of this kind. A term that counts for nothing is a product with a factor
/// select(..., ..., 0), or such a select itself; its conditions are remainders of sums of indices by a literal.
std::optional<PhasedStage> find_phases(const Stage& stage);

}  // namespace nestwright::text
