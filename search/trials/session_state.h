// The state that the parts of a session share. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost_model/least_time.h"
#include "logs/tuning_log.h"
#include "lookup/provenance.h"
#include "lookup/task_context.h"
#include "measure/build/builder.h"
#include "measure/run/runner.h"
#include "search/budget/task_run.h"
#include "search/propose/trial.h"
#include "search/space/search_space.h"
#include "search/task/candidate.h"
#include "search/trials/known_code.h"
#include "search/trials/race_plan.h"
#include "search/trials/reference_readings.h"
#include "search/trials/session_options.h"

namespace nestwright {

/// A trial of this session that is right and was timed.
struct TimedTrial {
  TrialId trial = 0;
  Point point;
  double median_ns = 0;
  TrialId scored_by = 0;  ///< the incumbent that it was scored against; 0: none
};

/// A compiled point.
struct BuiltPoint {
  BuildResult result;
  LeastWork work;  ///< a lower bound on the work of any kernel for the lowered program; of a part, that of the whole
  /// Above 0: the object is a part of the kernel, and the whole takes this many times as long (lower/program_part.h).
  double part_ratio = 0;
};

/// A compiled kernel that others are scored against.
struct ReferenceKernel {
  TrialId trial = 0;
  Point point;
  CompiledObject object;
  double reference_ns = 0;  ///< in the session's unit
  LeastWork work;           ///< as BuiltPoint::work
  /// The machine was disturbed whenever the unit was measured. Scores then order candidates, but are no times: they
  /// count as disturbed.
  bool is_rough = false;
  /// What candidates' parts are scored against; its result failed, or its ratio is 0, where the kernel has no part.
  std::optional<BuiltPoint> part = {};
};

/// The timing options of a final race at this effort.
TimingOptions timing_of(Effort effort);

struct SessionState {
  /// `seconds_left` is RunnerOptions::seconds_left; it and `on_wait` may be empty.
  SessionState(const TaskContext& task_context, TuningLog& tuning_log, const SessionOptions& session_options,
               const std::function<void(const std::string&)>& on_wait = {},
               const std::function<double()>& seconds_left = {});

  const TaskContext context;
  TuningLog& log;
  const SessionOptions& options;
  TimingOptions timing;  ///< as the runner adapts them to the task's target
  SearchSpace space;
  std::vector<TemplateVersion> versions;  ///< the templates that this session searches
  bool has_unit = false;                  ///< the log has this session's first anchor, even if that failed later
  std::shared_ptr<Builder> builder;
  std::unique_ptr<Runner> runner;
  SessionId id = 0;
  SessionResult result;
  bool has_machine = true;  ///< false while another tuner has it: what is timed then is marked as disturbed

  KnownCode known_code;
  TrialId default_trial = 0;                 ///< a successful trial of the template's default, of any session; 0: none
  std::vector<TimedTrial> sound_trials;      ///< that may be the best: undisturbed, in order of measuring
  std::vector<TimedTrial> disturbed_trials;  ///< others, not ended early, whose times are rough
  std::optional<ReferenceKernel> anchor;     ///< the template's default, whose time is the unit of the session's scores
  std::optional<ReferenceKernel> incumbent;  ///< the fastest confirmed so far; initially the anchor
  ReferenceReadings reference_readings;      ///< of the incumbents, one for each chunk
  int corrections = 0;                       ///< how often a wrong reference time was looked for
  std::vector<Trial> rescored;               ///< new labels of trials, which the strategy is still to be told

  bool is_made_here(const SessionUnit& unit) const {
    return unit.code_generator == context.provenance().code_generator &&
           has_plugins(context.provenance().plugins, unit.plugins);
  }
  /// Time of the incumbent; 0: there is none yet.
  double incumbent_ns() const { return incumbent ? incumbent->reference_ns : 0; }
  /// Adds a trial of this session, which was scored against the incumbent, to sound_trials or disturbed_trials where it
  /// belongs there.
  void note_timed(TrialId trial, const Point& point, const Measurement& measurement);
  /// The point of a recorded proposal; nullopt where this build does not have it, or the session stays elsewhere.
  std::optional<Point> point_of(const Proposal& proposal) const {
    return space.find(proposal.from.name, proposal.from.version, proposal.config);
  }
  /// The same, whatever the session is restricted to, also of another template.
  std::optional<Point> point_anywhere(const Proposal& proposal) const {
    return space.find_anywhere(proposal.from.name, proposal.from.version, proposal.config);
  }
  /// Records the number of valid points of each template. Requires a session in the log.
  void describe_spaces();
  /// Makes the log forget what failed while a plugin of the operator or its templates was another one: the failure may
  /// be mended. Requires that no trial of the task was read.
  void forget_failures_of_rebuilt_plugins();
  /// Makes `trial` the default_trial where it succeeded and `point` is the template's default.
  void note_default(TrialId trial, const Point& point, Outcome outcome, const TrialCode& code);
  /// The time that the machine needs for `work` at its highest known rates, in nanoseconds; 0: unknown.
  double least_ns(const LeastWork& work) const { return least_time_ns(work, rates_); }
  /// The seconds that checking and timing the default is expected to take at the machine's usual share of its highest
  /// rates; 0: unknown.
  double first_trial_s() const;
  /// Measures the highest rates again, which takes 40 ms: they are too low where something slowed the machine down when
  /// they were measured. Rates only increase.
  void raise_limits();
  /// The share of the roofline that the incumbent reaches; nullopt where it is unknown. Measures the rates again, at
  /// most a few times in a session, before it reports that little room is left.
  std::optional<double> roofline_share();
  /// Stores what the search needs of a recorded trial of the task, of this or an earlier session. `measurement` is in
  /// the session's unit.
  void remember(TrialId trial, const Point& point, const Measurement& measurement, const TrialCode& code);
  /// Lowers and compiles the points, until `is_over` (Builder::build); one result for each, in order. Adds the times to
  /// the stage times of `result`. `part_share` above 0: parts of the kernels that take this share of their time
  /// (lower/program_part.h), and whole kernels where there are none.
  std::vector<BuiltPoint> build(const std::vector<Point>& points, Pipeline pipeline,
                                const std::function<bool()>& is_over = {}, double part_share = 0);
  /// The part of the incumbent, made when it is first needed, against which the parts of candidates are timed; nullptr
  /// where candidates are timed as wholes, because the incumbent's call does not take long, or it has no part.
  const BuiltPoint* part_of_incumbent();
  /// The share of a call of the incumbent that takes about options.part_ns, a power of two, so that candidates with the
  /// same code have the same parts while the incumbent changes; 0: its call does not take long.
  double part_share() const;

  /// The task's best; nullopt if there is none. If the session is restricted to a template or a part of the space, the
  /// best record within it: the best entry of the last race, else this session's incumbent, else its fastest sound
  /// trial, else the best record of earlier sessions, else its fastest disturbed trial.
  std::optional<BestRecord> best() const;

  /// The plan of the final races, given the fastest kernel so far.
  RacePlan race_plan() const;

 private:
  /// The part of first_trial_s() that is spent in calls.
  double first_calls_s() const;

  std::vector<TemplateVersion> of_plugins_;  ///< the templates to which a plugin contributes, the operator included
  int rate_measurements_ = 0;
  HighestRates rates_;
};

/// Whether a trial with this measurement is right and was timed to the end, perhaps on a disturbed machine.
inline bool is_timed(const Measurement& m) {
  return m.outcome == Outcome::kOk && m.evidence.verified && !m.timing.ended_early && m.timing.median_ns > 0;
}
/// Whether a trial with this measurement can be the best.
inline bool is_sound(const Measurement& m) { return is_timed(m) && !m.timing.is_disturbed(); }
/// Whether the time was over before a candidate that compiled was checked: it stays in its batch as unfinished.
inline bool was_skipped(const Measurement& m) {
  return m.outcome == Outcome::kOk && !m.evidence.verified && m.timing.median_ns == 0;
}

}  // namespace nestwright
