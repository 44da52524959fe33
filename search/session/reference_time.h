// Measures the time of the session's reference kernel again. Each incumbent is scored against the one before, so that
// errors add up in a chain of them, and one whose readings were disturbed unseen makes all later scores wrong. Private
// to search/. Thread rule: one thread at a time.
#pragma once

#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

/// Measures the incumbent against the anchor again. Does nothing if the anchor is so slow that this is not worth its
/// cost.
void renew_reference_time(SessionTrials& trials, Tools& tools);

/// The same where candidates exceed the machine's highest rates, however slow the anchor is, at most a few times in a
/// session. If the incumbent's time was too low, so are those of the sound trials that were scored against it: they are
/// scaled, in the log, too, and SessionTrials has their new labels. Estimates by parts stay, as a
/// confirmation decides about them. Returns the factor by which the time was too low; 1 where it was right, or could
/// not be measured. Throws LogError.
double correct_reference_time(SessionTrials& trials, Tools& tools);

}  // namespace nestwright
