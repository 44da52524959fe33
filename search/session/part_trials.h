// The trials of a session that were timed by parts of their kernels, among them those that seem to be faster than the
// incumbent: these are confirmed as wholes, because the result of a part is not checked, and its time only estimates
// that of the whole. Private to search/. Thread rule: one thread at a time. Units: as named.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

struct PartTrial {
  TrialId trial = 0;
  Point point;
  std::string code;           ///< identity of the part's machine code
  double estimated_ns = 0;    ///< time of the whole, by the part
  bool seems_faster = false;  ///< than the incumbent, in pairs of parts that were taken to confirm it
  double slowest_ns = 0;      ///< its highest score if it was disturbed, else 0
};

class PartTrials {
 public:
  /// Keeps the fastest kMaxKept trials of those that were timed by a part, to the end. Readings that were disturbed
  /// were so in pairs, and on a busy machine there are no others.
  void add(PartTrial trial, const Measurement& measurement, bool seems_faster = false);

  /// Removes and returns the trial to be confirmed next during the search: the fastest one that seems to be faster than
  /// the incumbent (a disturbed one by each of its scores), if the confirmations so far and this one take at most a
  /// fifth of the `elapsed_s` seconds since the session began.
  std::optional<PartTrial> take_during_search(double incumbent_ns, double elapsed_s);
  /// The same at the end of the search: the fastest estimate below the incumbent's time, if it is the first one
  /// confirmed then, or its confirmation takes at most `left_s` seconds.
  std::optional<PartTrial> take_at_end(double incumbent_ns, double left_s);

  /// Seconds that should be left at the end of the search to confirm one trial; 0: none is worth it.
  double reserve_s(double incumbent_ns) const;
  /// Counts the seconds of a confirmation.
  void spend(double seconds) { spent_s_ += seconds; }

 private:
  std::optional<PartTrial> take(std::size_t index);

  std::vector<PartTrial> trials_;  ///< by increasing time
  double spent_s_ = 0;
  bool has_ended_ = false;  ///< take_at_end() returned a trial
};

/// Seconds that the confirmation of a kernel takes: its check, and few pairs of calls.
double confirmation_s(double call_ns);

/// The result of a confirmation.
struct WholeTrial {
  std::optional<Measurement> measurement;  ///< the trial's new one; nullopt: the recorded one stays
  std::optional<double> ratio;             ///< speed relative to the old incumbent; nullopt where the incumbent stays
};

/// Requires an incumbent. Compiles the whole kernel, checks it and times it against the incumbent, which it replaces if
/// it is faster. Replaces the measurement in the log; a wrong kernel becomes a failed trial.
WholeTrial confirm_whole(SessionTrials& trials, Tools& tools, const PartTrial& trial,
                         const std::function<bool()>& is_over = {});

}  // namespace nestwright
