// What a session acts with: the space that it draws points from, the builder and the runner that compile and time them,
// and the log that records them. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/build/builder.h"
#include "measure/run/runner.h"
#include "nestwright/database.h"
#include "nestwright/lookup.h"
#include "nestwright/tune.h"
#include "search/space/search_space.h"
#include "search/trials/built_point.h"
#include "search/trials/machine_rates.h"
#include "search/trials/race_plan.h"

namespace nestwright {

struct Tools {
  /// Starts the workers. `seconds_left` is RunnerOptions::seconds_left; it and `on_wait` may be empty. `log` and
  /// `options` outlive the tools. Throws as TuningSession does.
  Tools(const TaskContext& context, TuningLog& log, const SessionOptions& options,
        const std::function<void(const std::string&)>& on_wait = {}, const std::function<double()>& seconds_left = {});

  const SearchSpace space;
  const std::vector<TemplateVersion> versions;  ///< the templates that this session searches
  TuningLog& log;
  const SessionOptions& options;
  const TimingOptions timing;  ///< as the runner adapts them to the task's target
  std::shared_ptr<Builder> builder;
  MachineRates rates;
  std::unique_ptr<Runner> runner;
  SessionId id = 0;         ///< in the log; 0: the session has not begun
  bool has_machine = true;  ///< false while another tuner has it: what is timed then is marked as disturbed
  StageTimes times;         ///< what acting has taken so far

  /// Lowers and compiles the points, until `is_over` (Builder::build); one result for each, in order. `part_share`
  /// above 0: parts of the kernels that take this share of their time (lower/program_part.h), and whole kernels where
  /// there are none.
  std::vector<BuiltPoint> build(const std::vector<Point>& points, Pipeline pipeline,
                                const std::function<bool()>& is_over = {}, double part_share = 0);
  /// The share of a call of the incumbent that takes about options.part_ns, a power of two, so that candidates with the
  /// same code have the same parts while the incumbent changes; 0: its call does not take long, or there is none.
  double part_share(double incumbent_ns) const;
  /// The plan of the final races, given the time of the incumbent; 0: there is none.
  RacePlan race_plan(double incumbent_ns) const;
};

}  // namespace nestwright
