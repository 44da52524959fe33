// Sums over terms that count only where an index has the right remainder, as those of a transposed convolution. The
// index becomes a quotient and a remainder, its phase: in each phase the same terms count, and only they are summed up.
//
//   Y[y] = sum(r, select((y + r)%2 == 0, X[(y + r)/2], 0) * W[r])                               y of 16, r of 4
//
//   Y.phases[p, y] = sum(r, X[(2*y + p + 2*r + p)/2] * W[2*r + p])                     p of 2, y of 8, r of 2
//   Y[y] = Y.phases[y%2, y/2]
//
// Phases of different numbers of terms are different parts: for r of 3, the first one has two terms, the other has one.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "text/program.h"

namespace nestwright::text {

/// An index of the result that is divided. Its remainder is step*k + first, of which k determines the phase; other
/// remainders have no terms.
struct PhasedIndex {
  std::size_t axis = 0;  ///< of the stage
  std::int64_t modulus = 1, step = 1, first = 0;
  std::int64_t phases = 1;
  std::int64_t factor = 0, constant = 0;  ///< the phase is (factor*k + constant) % phases
};

/// Some of the phases of an index.
struct PhaseRange {
  std::int64_t low = 0, count = 1;
};

struct PhasedPart {
  std::vector<PhaseRange> ranges;  ///< of each index
  /// Its axes are the phases of ranges that have several, less `low`, then those of the stage, of which the indices are
  /// quotients. Nothing where there are no terms.
  std::optional<Stage> sums;
};

struct PhasedSums {
  std::vector<PhasedIndex> indices;
  std::vector<PhasedPart> parts;  ///< all combinations of ranges
};

/// Returns nothing where the sum has no terms of this kind. A term that counts for nothing is a product with a factor
/// select(..., ..., 0), or such a select itself; its conditions are remainders of sums of indices by a literal.
std::optional<PhasedSums> find_phases(const Stage& stage);

}  // namespace nestwright::text
