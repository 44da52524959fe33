// The part of a session's incumbent. Private to search/. Thread rule: one thread at a time.
#pragma once

#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

/// The part of the incumbent, made when it is first needed, against which the parts of candidates are timed; nullptr
/// where candidates are timed as wholes, because the incumbent's call does not take long, or it has no part.
const BuiltPoint* part_of_incumbent(SessionTrials& trials, Tools& tools);

}  // namespace nestwright
