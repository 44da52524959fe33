// The unit of a session's scores, and how scores of other sessions are brought into it. Times of two sessions are never
// mixed as they are: a session measures anchors, the template's default and the stored best and up to two more trials,
// side by side, and scales what others recorded by what these took then. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <map>
#include <set>
#include <span>

#include "search/session_state.h"

namespace nestwright {

class Units {
 public:
  /// Compiles and times the anchors among the task's recorded trials, and makes the session's anchor and incumbent of
  /// them. Does nothing where nothing is recorded. Throws LogError, Error.
  void establish(SessionState& session, std::span<const TrialRecord> recorded);
  /// Takes in what sessions that run at the same time have noted since, and an anchor that this one found later.
  void refresh(const SessionState& session);

  /// What a time of another session is multiplied by to be in this session's unit; 0: the two cannot be compared.
  double factor(const SessionState& session, SessionId other) const;
  /// What establish() measured of a trial that was disturbed when it was recorded, in this session's unit; nullptr
  /// where it did not measure it.
  const Measurement* renewed(TrialId trial) const;
  /// The measurement in this session's unit. Where that is not known its timing is marked as disturbed.
  Measurement convert(const SessionState& session, const TrialRecord& trial) const;

 private:
  std::map<TrialId, Measurement> renewed_;
  std::map<TrialId, double> now_ns_;  ///< of the anchors, in the session's unit
  /// Times of anchors as other sessions measured them.
  std::map<SessionId, std::map<TrialId, double>> then_ns_;
  std::set<TrialId> changed_code_;      ///< anchors that compile to other code now than when they were recorded
  std::set<SessionId> made_elsewhere_;  ///< by another code generator: linked by anchors of unchanged code alone
};

/// Measures the incumbent against the anchor again, so that a chain of incumbents, each scored against the one before,
/// does not drift. Leaves it where the anchor is so slow that this would cost more than it is worth.
void renew_reference_time(SessionState& session);

}  // namespace nestwright
