// The recorded trials of a task as a session sees them: those of earlier sessions, which it continues, and those that
// other sessions record meanwhile, in the unit of this session. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <vector>

#include "search/propose/ranker.h"
#include "search/propose/strategy.h"
#include "search/session/part_trials.h"
#include "search/session/session_timescale.h"
#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

/// Stores the resources of a point's kernels for the features of the ranker; does nothing where none are known.
void record_resources(Ranker& ranker, const Point& point, const std::vector<KernelResources>& resources);

class TaskHistory {
 public:
  TaskHistory(const TaskContext& context, SessionTrials& trials, Tools& tools)
      : context_(context), known_(trials), tools_(tools) {}

  /// Reads the trials that the session starts from, and measures the anchors that link their times to this session.
  /// Returns the number of trials whose points are in this session's space. Throws LogError, Error.
  std::size_t read();
  /// Passes these trials, and those recorded since, to the strategy in the batches in which they were proposed.
  /// Those that were timed by parts go to `parts`.
  void replay(SearchStrategy& strategy, Ranker& ranker, PartTrials& parts);
  bool is_replayed() const { return is_replayed_; }
  /// Passes what other sessions have recorded since the last call to the strategy.
  void read_news(SearchStrategy& strategy, Ranker& ranker);

 private:
  std::size_t remember_all(const std::vector<TrialRecord>& trials);
  Measurement as_observed(const TrialRecord& trial) const;
  void observe(const std::vector<TrialRecord>& trials, SearchStrategy& strategy, Ranker& ranker) const;

  const TaskContext& context_;
  SessionTrials& known_;
  Tools& tools_;
  SessionTimescale timescale_;
  std::vector<TrialRecord> trials_;  ///< from read() to replay()
  TrialId last_read_ = 0;            ///< of all sessions of the task
  bool is_replayed_ = false;
};

}  // namespace nestwright
