// Study (nestwright/tune.h): a strategy whose trials the caller makes, in a log of its own that ends with it.
#include <deque>
#include <span>
#include <utility>

#include "nestwright/error.h"
#include "nestwright/tune.h"
#include "search/propose/make_strategy.h"
#include "search/session/chunk.h"
#include "search/task/candidate.h"
#include "search/task/runnable.h"
#include "search/task/timing_lock.h"
#include "support/os/machine_lock.h"
#include "support/os/scratch_folder.h"

namespace nestwright {
namespace {

const TaskContext& runnable(const TaskContext& context) {
  require_runnable(context.task(), Machine::host());
  return context;
}

}  // namespace

struct Study::State {
  State(const TaskContext& of, const SessionOptions& given)
      : context(runnable(of)),
        options(given),
        log(TuningLog::open(folder.path() + "/study.db", OpenMode::kWrite)),
        tools(context, log, options),
        trials(tools.space.default_point()),
        columns(tools.space.config_spaces()),
        ranker(make_cost_model(options.cost_model, options.seed), make_cost_model(options.cost_model, options.seed),
               [this](const Point& point) { return candidate_features(context.task(), columns, point); }),
        strategy(make_strategy(options.strategy, {&tools.space, &ranker, options.seed})),
        lock(timing_lock_name(context.target())) {
    tools.id = log.begin_session(context.key(), {.seed = options.seed,
                                                 .strategy = options.strategy,
                                                 .cost_model = options.cost_model,
                                                 .made_by = context.provenance()});
  }

  /// The strategy learns from batches, of which each is asked for as a whole.
  void end_batch() {
    if (!told.empty()) strategy->observe(std::exchange(told, {}));
    for (Point& point : strategy->propose(batch++, options.batch_size)) proposed.push_back(std::move(point));
  }

  const TaskContext context;
  const SessionOptions options;
  const ScratchFolder folder{"nestwright-study"};
  TuningLog log;
  Tools tools;
  SessionTrials trials;
  KnobColumns columns;
  Ranker ranker;
  std::unique_ptr<SearchStrategy> strategy;
  MachineLock lock;
  std::deque<Point> proposed;
  std::vector<SessionTrial> told;  ///< of the batch that was proposed last
  int batch = 0;                   ///< batches that the strategy has proposed
  int measured = 0;
};

Study::Study(const TaskContext& context, const SessionOptions& options)
    : state_(std::make_unique<State>(context, options)) {}
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;
Study::~Study() = default;

std::optional<Point> Study::ask() {
  if (state_->proposed.empty()) state_->end_batch();
  if (state_->proposed.empty()) return std::nullopt;
  Point next = std::move(state_->proposed.front());
  state_->proposed.pop_front();
  return next;
}

Measurement Study::measure(const Point& point) {
  State& state = *state_;
  const MachineLock::Hold turn = state.lock.hold([] { return false; });
  const std::optional<Point> found = state.tools.space.find(point);
  if (!found) throw UsageError("the study's space has no point " + point.key());
  const std::vector<Point> points{*found};
  const std::vector<BuiltPoint> built = state.tools.build(points, Pipeline::kSearch);
  const ChunkResult chunk = run_chunk(state.trials, state.tools, built);
  Measurement measurement = chunk.measurements.front().value();
  measurement.compile_ms = built.front().result.compile_ms;
  const Batch batch = state.log.commit_batch(state.tools.id, state.measured++, points);
  if (batch.ids.empty()) return measurement;  // measured again
  const std::vector<TrialId> recorded{state.log.record(state.tools.id, batch.ids.front(), measurement,
                                                       {built.front().result.object.code_fingerprint, 0})};
  update_references(state.trials, state.tools, chunk, points, built, recorded);
  return measurement;
}

void Study::tell(const Point& point, const Measurement& measurement) {
  const std::optional<Point> found = state_->tools.space.find(point);
  if (!found) throw UsageError("the study's space has no point " + point.key());
  if (!has_label(measurement)) return;
  state_->told.push_back(session_trial(0, *found, measurement));
}

}  // namespace nestwright
