// A multi-armed bandit that decides which arm, here a template, gets the next trials. Its credit is the area under the
// curve of an arm's successes, in which later trials weigh more, over a sliding window, plus a bonus for arms that were
// tried seldom, as in OpenTuner (Ansel et al., PACT 2014, the meta-technique AUCBanditMetaTechnique) after Fialho et
// al. (GECCO 2010). It compares trials only, so that no unit or scale of time matters. Unlike OpenTuner's, a success is
// a trial among the fastest few percent of its time, not a new best alone: new bests become so rare that all arms
// would soon look alike.
// Thread rule: a pure function. Unit: nanoseconds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/propose/session_trial.h"

namespace nestwright {

/// Fewer trials of an arm would not tell a poor template from a poor guess.
inline constexpr std::size_t kFirstPulls = 12;

/// What is known of an arm besides its trials.
struct BanditArm {
  bool is_open = true;                    ///< whether it has anything left to try
  std::size_t first_pulls = kFirstPulls;  ///< trials before credit counts
};

/// The arms of the next `n` trials, in order: at first each arm in turn, the first one first; later by what they earned
/// in `trials`, in the order of measuring, where `arm_of` has the arm of each; failures and disturbed trials are never
/// successes. Each arm is tried again and again, however poor. Leaves out arms that are not open; empty where none is.
std::vector<std::size_t> allocate_trials(std::span<const SessionTrial> trials, std::span<const std::size_t> arm_of,
                                         std::span<const BanditArm> arms, int n);

}  // namespace nestwright
