// What the parts of a session share. Private to search/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/builder.h"
#include "measure/runner.h"
#include "search/candidate.h"
#include "search/known_code.h"
#include "search/session.h"

namespace nestwright {

/// An ok trial of this session.
struct Contender {
  TrialId trial = 0;
  Point point;
  double median_ns = 0;
};

struct SessionState {
  SessionState(const Task& task, TuningLog& tuning_log, const SessionOptions& session_options);

  TuningLog& log;
  const SessionOptions& options;
  TimingOptions timing;  ///< what the runner makes of them for the task's target
  TaskKey key;
  SearchSpace space;
  std::vector<TemplateVersion> versions;  ///< of this build's templates: what may be best
  std::shared_ptr<Builder> builder;
  std::unique_ptr<Runner> runner;
  SessionId id = 0;
  SessionResult result;

  KnownCode known_code;
  TrialId default_trial = 0;                ///< an ok trial of the template's default, of any session; 0: none
  std::vector<Contender> contenders;        ///< ok and not ended early, in order of measuring
  std::optional<CompiledObject> incumbent;  ///< fastest so far: what candidates are judged against
  double incumbent_ns = 0;

  /// The point of a recorded proposal; nullopt where this build has no such point any more.
  std::optional<Point> point_of(const Proposal& proposal) const {
    return space.find(proposal.from.name, proposal.from.version, proposal.config);
  }
  /// Notes what the search needs to know of a recorded trial of the task, of this session or an earlier one.
  void remember(TrialId trial, const Point& point, const Measurement& measurement, const TrialCode& code);
  /// Lowers and compiles; one result a point, in order. Times are added to the result's stages.
  std::vector<BuildResult> build(const std::vector<Point>& points, Pipeline pipeline);

  /// How many of this session's points enter the final race: fewer where a kernel takes so long that the race would
  /// take more than its share of the budget.
  int finalists() const;
  /// What the final race will take, in seconds, estimated from the fastest kernel so far.
  double race_seconds() const;
};

/// The interleaved race of the best contenders, the template's default, the stored best and what earlier sessions left
/// unraced. Writes it to the log and sets the result's best.
void run_final_race(SessionState& session);

}  // namespace nestwright
