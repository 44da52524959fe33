// Converts scores of other sessions into the unit of this one. Times of two sessions are not comparable. A session
// therefore measures anchors side by side (the template's default, the stored best and up to two more trials) and
// scales the times of another session by what the anchors took in it. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <map>
#include <set>
#include <span>

#include "nestwright/lookup.h"
#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

class SessionTimescale {
 public:
  /// Compiles and times the anchors among the task's recorded trials, and sets the anchor and the incumbent. Does
  /// nothing if nothing is recorded. Throws LogError, Error.
  void establish(const TaskContext& context, SessionTrials& trials, Tools& tools,
                 std::span<const TrialRecord> recorded);
  /// Reads the anchors of sessions that ran meanwhile, and adds an anchor that this session set later.
  void refresh(const TaskContext& context, const SessionTrials& trials, const TuningLog& log);

  /// The factor that converts times of session `other` into the unit of this one; 0: they are not comparable.
  double factor(SessionId session, SessionId other) const;
  /// The measurement by establish(), in this session's unit, of a trial that was disturbed when it was recorded;
  /// nullptr where there is none.
  const Measurement* renewed(TrialId trial) const;
  /// The measurement in this session's unit. Where the factor is unknown, its timing is marked as disturbed.
  Measurement convert(SessionId session, const TrialRecord& trial) const;

 private:
  std::map<TrialId, Measurement> renewed_;
  std::map<TrialId, double> now_ns_;  ///< times of the anchors, in this session's unit
  /// Times of the anchors in other sessions.
  std::map<SessionId, std::map<TrialId, double>> then_ns_;
  std::set<TrialId> changed_code_;      ///< anchors that now compile to other code than when they were recorded
  std::set<SessionId> made_elsewhere_;  ///< sessions of another code generator: only unchanged anchors link these
};

}  // namespace nestwright
