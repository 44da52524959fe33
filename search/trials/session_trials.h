// What a session knows about its trials: the machine code that was measured, the trials that were timed, and the
// kernels that others are scored against. Private to search/.
// Thread rule: one thread at a time. Unit: nanoseconds, in the session's unit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/records.h"
#include "search/propose/session_trial.h"
#include "search/trials/built_point.h"
#include "search/trials/known_code.h"
#include "search/trials/reference_readings.h"

namespace nestwright {

class SessionTrials {
 public:
  /// `default_point` is the template's default; nullopt where the session stays elsewhere.
  explicit SessionTrials(std::optional<Point> default_point) : default_point_(std::move(default_point)) {}

  /// Stores what the search needs of a recorded trial of the task, of this or an earlier session. `measurement` is in
  /// the session's unit.
  void remember(TrialId trial, const Point& point, const Measurement& measurement, const TrialCode& code);
  /// Makes `trial` the default_trial() where it succeeded and `point` is the template's default.
  void note_default(TrialId trial, const Point& point, Outcome outcome, const TrialCode& code);
  /// A successful trial of the template's default, of any session; 0: none.
  TrialId default_trial() const { return default_trial_; }
  const std::optional<Point>& default_point() const { return default_point_; }

  const KnownCode& known_code() const { return known_code_; }
  /// Forgets the trial with this code, which was that of a part of its kernel.
  void forget_code(const std::string& identity) { known_code_.forget(identity); }

  /// Adds a trial of this session, which was scored against the incumbent, if it is right and was timed to the end. It
  /// replaces a disturbed measurement of the same trial.
  void note_timed(TrialId trial, const Point& point, const Measurement& measurement);
  /// The trials that may be the best, in order of measuring.
  std::vector<SessionTrial> sound() const;
  /// The others, whose times are rough.
  std::vector<SessionTrial> disturbed() const;

  // The kernels that others are scored against. A quality of kDisturbed says that the machine was disturbed whenever
  // the unit was measured: scores then order candidates, but are no times.

  /// The template's default, whose time is the unit of the session's scores.
  const std::optional<SessionTrial>& anchor() const { return anchor_; }
  /// The fastest confirmed so far; initially the anchor.
  const std::optional<SessionTrial>& incumbent() const { return incumbent_; }
  const BuiltPoint& anchor_kernel() const { return anchor_kernel_; }
  const BuiltPoint& incumbent_kernel() const { return incumbent_kernel_; }
  /// Time of the incumbent; 0: there is none yet.
  double incumbent_ns() const { return incumbent_ ? incumbent_->ns : 0; }
  bool has_rough_unit() const { return incumbent_ && incumbent_->is_disturbed(); }
  /// Whether the incumbent can be timed beside an anchor that is another kernel.
  bool has_other_anchor() const { return anchor_ && incumbent_ && anchor_->id != incumbent_->id; }

  void set_incumbent(SessionTrial trial, BuiltPoint kernel);
  /// Makes the incumbent the anchor if there is none.
  void provide_anchor();
  /// Makes the anchor the incumbent, whose kernel failed, or leaves it to the next correct candidate where the anchor
  /// itself failed.
  void drop_incumbent();
  /// Corrects the time of the incumbent. Requires one.
  void set_incumbent_ns(double ns) { incumbent_->ns = ns; }
  /// Multiplies the times of incumbent and anchor, which were rough, by `factor`: they are sound now.
  void settle_unit(double factor);
  /// Whether the log is to be given the unit now: the time of the first anchor, even if its kernel fails later. True
  /// once.
  bool takes_unit();

  /// What candidates' parts are scored against; its result failed, or its ratio is 0, where the incumbent has no part.
  /// nullopt: it was not made yet.
  const std::optional<BuiltPoint>& incumbent_part() const { return incumbent_part_; }
  void set_incumbent_part(BuiltPoint part) { incumbent_part_ = std::move(part); }

  /// The readings of the incumbents, one for each chunk.
  ReferenceReadings reference_readings;

  /// Whether a wrong reference time may be looked for once more; counts these.
  bool may_correct();
  /// The sound trials that were scored against the incumbent, itself among them, and whose measurements are known.
  std::vector<SessionTrial> scored_by_incumbent() const;
  /// Replaces the times of a sound trial that was scored by a wrong reference time.
  void rescore(const SessionTrial& trial, const Measurement& measurement);
  /// The new labels since the last call, which the strategy is still to be told.
  std::vector<SessionTrial> take_rescored() { return std::exchange(rescored_, {}); }

 private:
  std::vector<SessionTrial> timed(TrialQuality quality) const;

  std::optional<Point> default_point_;
  TrialId default_trial_ = 0;
  KnownCode known_code_;
  std::vector<SessionTrial> timed_;       ///< in order of measuring
  std::map<TrialId, TrialId> scored_by_;  ///< the incumbent that each of them was scored against; 0: none
  std::optional<SessionTrial> anchor_, incumbent_;
  BuiltPoint anchor_kernel_, incumbent_kernel_;
  std::optional<BuiltPoint> incumbent_part_;
  bool has_unit_ = false;
  int corrections_ = 0;
  std::vector<SessionTrial> rescored_;
};

}  // namespace nestwright
