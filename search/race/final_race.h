// The races that end a session: they decide which point is the task's best. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include "search/race/hold_race.h"
#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

/// Races, in fresh processes, the finalists, the incumbent, the template's default, the stored best, and trials of
/// earlier sessions that ended without a race. Finalists are the fastest in a preliminary race, so that a lucky time in
/// the search does not displace a faster kernel, or without one the fastest in the search: there is none if the session
/// was interrupted. Writes the race to the log and its conclusions to `result`. A race that had time for
/// one or two processes replaces no stored best, but its fastest entrant becomes the session's confirmed incumbent.
void run_final_race(const TaskContext& context, SessionTrials& trials, Tools& tools, const FinalRaceLimits& limits,
                    SessionResult& result);

}  // namespace nestwright
