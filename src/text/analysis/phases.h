// Rewrites sums whose terms are zero unless an index has the right remainder, as in a transposed convolution. The index
// is split into a quotient and a remainder, its phase: in each phase the same terms may be nonzero, and only these are
// summed.
//
//   Y[y] = sum(r, select((y + r)%2 == 0, X[(y + r)/2], 0) * W[r])                               y of 16, r of 4
//
//   Y.phases[p, y] = sum(r, X[(2*y + p + 2*r + p)/2] * W[2*r + p])                     p of 2, y of 8, r of 2
//   Y[y] = Y.phases[y%2, y/2]
//
// Phases with different numbers of terms become different parts: for r of 3, the first one has two terms, the other has
// one.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "text/syntax/program.h"

namespace nestwright::text {

/// An index of the result that is split into quotient and remainder. Its remainder is step*k + first, of which k
/// determines the phase; other remainders have no terms.
struct PhasedIndex {
  std::size_t axis = 0;  ///< of the stage
  std::int64_t modulus = 1, step = 1, first = 0;
  std::int64_t phases = 1;
  std::int64_t factor = 0, constant = 0;  ///< the phase is (factor*k + constant) % phases

  /// Whether the axis of the phases follows that of the quotients, as in the result, in place of being one of the
  /// first: many phases are a row of their own.
  bool has_inner_phases() const { return phases >= 16; }
};

/// Some of the phases of an index.
struct PhaseRange {
  std::int64_t low = 0, count = 1;
};

struct PhasedPart {
  std::vector<PhaseRange> ranges;  ///< of each index
  /// Its axes are the phases, counted from `low`, of the ranges that have several, then the axes of the stage, where
  /// phased indices are quotients; each followed by its phases if they are inner. nullopt if there are no terms.
  std::optional<Stage> sums;
};

struct PhasedSums {
  std::vector<PhasedIndex> indices;
  std::vector<PhasedPart> parts;  ///< all combinations of ranges
};

/// Returns nullopt if the sum has no terms of this kind: a select(..., ..., 0), or a product with such a factor, whose
/// conditions compare the remainder of a linear index expression modulo a literal.
std::optional<PhasedSums> find_phases(const Stage& stage);

}  // namespace nestwright::text
