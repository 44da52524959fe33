// The answer of a session. Private to search/. Thread rule: one thread at a time.
#pragma once

#include <optional>

#include "nestwright/lookup.h"
#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

/// The task's best; nullopt if there is none. If the session is restricted to a template or a part of the space, the
/// best record within it: the best entry of the last race, else this session's incumbent, else its fastest sound
/// trial, else the best record of earlier sessions, else its fastest disturbed trial.
std::optional<BestRecord> session_best(const TaskContext& context, const SessionTrials& trials, const Tools& tools);

}  // namespace nestwright
