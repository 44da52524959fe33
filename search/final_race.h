// The races that end a session: they decide which point is the task's best. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <functional>

#include "search/session_state.h"

namespace nestwright {

/// Conditions, evaluated between passes, for ending the preliminary and the final race with the samples taken so far.
struct RaceEnds {
  std::function<bool()> preliminary, final;
};

/// Races, in fresh processes, the finalists, the incumbent, the template's default, the stored best, and trials of
/// earlier sessions that ended without a race. Finalists are the fastest in a preliminary race, so that a lucky time in
/// the search does not displace a faster kernel, or without one the fastest in the search. Writes the race to the log
/// and its conclusions to the session's result.
void run_final_race(SessionState& session, const RaceEnds& ends);

}  // namespace nestwright
