// Converts scores between the units of sessions. Thread rule: a pure function.
#pragma once

#include "nestwright/measurement.h"

namespace nestwright {

/// Multiplies the scores, their median and its interval by `factor`: the unit of the session is another one.
void scale_scores(Timing& timing, double factor);

}  // namespace nestwright
