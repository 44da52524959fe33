// Which candidates of a knob are near each other.
// Thread rule: pure functions, apart from the random stream.
#pragma once

#include <random>

#include "space/config_space.h"

namespace nestwright {

/// Whether the candidates have an order: numbers and splits do; permutations, annotations and choices do not.
bool is_ordinal(const Knob& knob);

/// The sum of the differences of the parts' logarithms, in doublings (of x + 1, as a part may be 0), or of their values
/// where one is negative. Infinity for another number of parts.
double knob_distance(const KnobValue& a, const KnobValue& b);

/// A candidate of the knob other than `current`. Of an ordinal knob, near ones are likelier, but all are possible; of
/// others, all are equally likely. Requires two candidates.
int near_candidate(const Knob& knob, int current, std::mt19937_64& random);

/// The candidate nearest to `value`. Requires an ordinal knob.
int nearest_candidate(const Knob& knob, const KnobValue& value);

}  // namespace nestwright
