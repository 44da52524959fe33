// What the parts of a session share. Private to search/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost_model/least_time.h"
#include "lookup/provenance.h"
#include "measure/builder.h"
#include "measure/runner.h"
#include "search/candidate.h"
#include "search/known_code.h"
#include "search/race_plan.h"
#include "search/reference_readings.h"
#include "search/session.h"

namespace nestwright {

/// A trial of this session that may be the best.
struct SoundTrial {
  TrialId trial = 0;
  Point point;
  double median_ns = 0;
};

/// A kernel that the session holds compiled, to score others against.
struct ReferenceKernel {
  TrialId trial = 0;
  Point point;
  CompiledObject object;
  double reference_ns = 0;  ///< in the session's unit
  LeastWork work;           ///< as of BuiltPoint
};

/// What became of a point that was to be compiled.
struct BuiltPoint {
  BuildResult result;
  LeastWork work;  ///< that no kernel for the lowered program can do without
};

/// Asked between passes: whether the preliminary race, and the final one, are to end with the samples that there are.
struct RaceEnds {
  std::function<bool()> preliminary, final;
};

/// How sure a final race is to be.
TimingOptions timing_of(Effort effort);

struct SessionState {
  SessionState(const Task& task, TuningLog& tuning_log, const SessionOptions& session_options,
               const std::function<void(const std::string&)>& on_wait = {});

  TuningLog& log;
  const SessionOptions& options;
  TimingOptions timing;  ///< what the runner makes of them for the task's target
  TaskKey key;
  RecordProvenance made_by = current_provenance();
  SearchSpace space;
  std::vector<TemplateVersion> versions;  ///< of this build's templates: what may be best
  std::shared_ptr<Builder> builder;
  std::unique_ptr<Runner> runner;
  SessionId id = 0;
  SessionResult result;

  KnownCode known_code;
  TrialId default_trial = 0;                 ///< an ok trial of the template's default, of any session; 0: none
  std::vector<SoundTrial> sound_trials;      ///< ok, undisturbed and not ended early, in order of measuring
  std::optional<ReferenceKernel> anchor;     ///< the template's default, whose time is the unit of the session's scores
  std::optional<ReferenceKernel> incumbent;  ///< the last that was confirmed to be the fastest; at first the anchor
  ReferenceReadings reference_readings;      ///< of the incumbents, chunk by chunk

  bool is_made_here(const SessionUnit& unit) const { return unit.code_generator == made_by.code_generator; }
  /// 0: none yet.
  double incumbent_ns() const { return incumbent ? incumbent->reference_ns : 0; }
  /// The point of a recorded proposal; nullopt where this build has no such point any more.
  std::optional<Point> point_of(const Proposal& proposal) const {
    return space.find(proposal.from.name, proposal.from.version, proposal.config);
  }
  /// Notes a trial of the template's default.
  void note_default(TrialId trial, const Point& point, Outcome outcome, const TrialCode& code);
  /// What the machine needs for the work at the highest rates that it was seen to reach. Unit: nanoseconds; 0: not
  /// known.
  double least_ns(const LeastWork& work) const { return least_time_ns(work, rates_); }
  /// Measures these rates once more, which takes some 40 ms, for they are too low where something else slowed the
  /// machine meanwhile. They only rise.
  void raise_limits();
  /// The share of what the machine can do that the incumbent reaches; nullopt where it is not known. Before it says
  /// that there is little left, it measures the rates again, a few times in a session.
  std::optional<double> roofline_share();
  /// Notes what the search needs to know of a recorded trial of the task, of this session or an earlier one. The
  /// measurement is in the session's unit.
  void remember(TrialId trial, const Point& point, const Measurement& measurement, const TrialCode& code);
  /// Lowers and compiles; one result a point, in order. Times are added to the result's stages.
  std::vector<BuiltPoint> build(const std::vector<Point>& points, Pipeline pipeline);

  /// What races at the end, by the fastest kernel so far.
  RacePlan race_plan() const;

 private:
  const Target target_;
  int looks_at_roof_ = 0;
  HighestRates rates_;
  double operations_ = 0, bytes_ = 0;  ///< of the operator
};

/// Whether a measurement may be that of a best one.
inline bool is_sound(const Measurement& m) {
  return m.outcome == Outcome::kOk && m.evidence.verified && !m.timing.ended_early && !m.timing.is_disturbed() &&
         m.timing.median_ns > 0;
}

/// The race, in fresh processes, of the finalists, the incumbent, the template's default, the stored best and what
/// earlier sessions left unraced. Finalists are the fastest by a preliminary race, so that a lucky time in the search
/// takes no place from a faster kernel; without one, by the times of the search. Writes the race to the log and notes
/// in the result what came of it.
void run_final_race(SessionState& session, const RaceEnds& ends);

}  // namespace nestwright
