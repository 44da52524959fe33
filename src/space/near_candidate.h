// Distances between the candidates of a knob, and random draws that prefer near ones.
// Thread rule: pure functions, apart from the random stream.
#pragma once

#include <random>

#include "nestwright/config_space.h"

namespace nestwright {

/// Whether the candidates have an order: numbers and splits do; permutations, annotations and choices do not.
bool is_ordinal(const Knob& knob);

/// The sum over the parts of |log2((x + 1) / (y + 1))|, or of |x - y| where one of the two is negative. Infinity if the
/// numbers of parts differ.
double knob_distance(const KnobValue& a, const KnobValue& b);

/// A random candidate of the knob other than `current`. For an ordinal knob, near candidates are likelier but all are
/// possible; for others, all are equally likely. Requires at least two candidates.
int near_candidate(const Knob& knob, int current, std::mt19937_64& random);

/// The candidate nearest to `value`. Requires an ordinal knob.
int nearest_candidate(const Knob& knob, const KnobValue& value);

}  // namespace nestwright
