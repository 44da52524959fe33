#include "search/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/session_state.h"
#include "search/stopwatch.h"
#include "search/strategy.h"
#include "support/error.h"

namespace nestwright {
namespace {

// Candidates that are checked and timed between two looks at the budget: one where a kernel takes long.
constexpr std::size_t kChunk = 4;
constexpr double kLong_ns = 20e6;

class Session {
 public:
  Session(const Task& task, TuningLog& log, const SessionOptions& options, const std::atomic<bool>* interrupt,
          const ProgressFunction& progress)
      : stop_(options.budget, steady_clock(), interrupt),
        progress_(progress),
        state_(task, log, options),
        columns_(spaces(state_.space)),
        ranker_(make_cost_model(options.cost_model, options.seed), make_cost_model(options.cost_model, options.seed),
                [this](const Point& point) { return point_features(state_.space, columns_, point); }),
        strategy_(make_strategy(options.strategy, {&state_.space, &ranker_, options.seed})) {}

  SessionResult run() {
    const SessionOptions& options = state_.options;
    state_.id = state_.log.begin_session(
        state_.key, {.seed = options.seed, .strategy = options.strategy, .cost_model = options.cost_model});
    try {
      search();
    } catch (const std::exception& failure) {
      state_.log.end_session(state_.id, SessionStatus::kFailed, failure.what());
      throw;
    }
    const SessionStatus status = state_.result.interrupted ? SessionStatus::kInterrupted : SessionStatus::kDone;
    state_.log.end_session(state_.id, status, state_.result.stop_reason);
    return std::move(state_.result);
  }

 private:
  static std::vector<ConfigSpace> spaces(const SearchSpace& space) {
    std::vector<ConfigSpace> list;
    for (const auto& member : space.members()) list.push_back(member.space);
    return list;
  }

  void search() {
    for (const auto& member : state_.space.members()) {
      const PointCount count = member.space.count_valid();
      state_.log.describe_space(state_.id, {member.source->name, member.source->version}, count.points,
                                count.estimated);
    }
    adopt_stored_best();
    state_.result.times.start_up = static_cast<std::int64_t>(stop_.seconds() * 1e9);

    while (stop_reason().empty()) {
      auto left_over = state_.log.claim_unfinished_batch(state_.id);
      if (!left_over) break;
      measure(*left_over, nullptr);
    }
    replay_history();
    while (stop_reason().empty()) {
      if (!next_batch()) break;
    }
    finish();
  }

  std::string stop_reason() {
    if (state_.result.stop_reason.empty()) state_.result.stop_reason = stop_.reason(state_.race_seconds());
    return state_.result.stop_reason;
  }

  /// The best of earlier sessions, compiled and timed now: times of two sessions are not comparable.
  void adopt_stored_best() {
    const auto best = state_.log.best(filter_of(state_.key), state_.versions);
    const auto point = best ? state_.point_of(best->proposal) : std::nullopt;
    if (!point) return;
    std::vector<BuildResult> built = state_.build({*point}, Pipeline::kSearch);
    if (built[0].outcome != Outcome::kOk) return;
    const std::vector<Measurement> measured = state_.runner->run({{&built[0].object}}, nullptr);
    if (measured[0].outcome != Outcome::kOk) return;
    state_.incumbent = std::move(built[0].object);
    state_.incumbent_ns = measured[0].timing.median_ns;
  }

  /// Tells the strategy of everything recorded before this session's own batches, in the batches in which it was
  /// proposed.
  void replay_history() {
    std::vector<TrialRecord> trials = state_.log.trials(filter_of(state_.key));
    std::stable_sort(trials.begin(), trials.end(), [](const TrialRecord& a, const TrialRecord& b) {
      return std::pair(a.batch, a.position) < std::pair(b.batch, b.position);
    });
    std::vector<Trial> batch;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const TrialRecord& trial = trials[i];
      if (const auto point = state_.point_of(trial.proposal)) {
        batch.push_back({*point, trial.measurement.outcome, trial.measurement.timing.median_ns});
      }
      if (trial.session != state_.id) ++state_.result.earlier_trials;
      if (i + 1 == trials.size() || trials[i + 1].batch != trial.batch) {
        strategy_->observe(batch);
        batch.clear();
      }
    }
  }

  /// False where the space is exhausted.
  bool next_batch() {
    const int number = state_.log.next_batch_number(state_.key);
    const int wanted = static_cast<int>(stop_.allowed(state_.options.batch_size));
    std::vector<Proposal> proposals;
    {
      const Stopwatch watch(state_.result.times.propose);
      for (Point& point : strategy_->propose(number, wanted)) {
        proposals.push_back({{point.template_name, point.version}, std::move(point.config), state_.options.strategy});
      }
    }
    if (proposals.empty()) {
      state_.result.stop_reason = "every valid configuration was measured";
      return false;
    }
    Batch batch;
    {
      const Stopwatch watch(state_.result.times.log);
      batch = state_.log.commit_batch(state_.id, number, proposals);
    }
    std::vector<Trial> trials;
    measure(batch, &trials);
    strategy_->observe(trials);
    return true;
  }

  /// Measures what the budget allows of a batch; the rest stays in the log as unfinished.
  void measure(const Batch& batch, std::vector<Trial>* trials) {
    std::vector<Point> points;
    std::vector<CommittedProposal> proposals;
    for (const CommittedProposal& proposal : batch.proposals) {
      auto point = state_.point_of(proposal.proposal);
      if (!point) continue;  // left over by another version of the template
      points.push_back(std::move(*point));
      proposals.push_back(proposal);
    }
    const std::vector<BuildResult> built = state_.build(points, Pipeline::kSearch);

    std::size_t last = 0;
    for (std::size_t first = 0; first < points.size() && stop_reason().empty(); first = last) {
      last = std::min(first + (state_.incumbent_ns > kLong_ns ? 1 : kChunk), points.size());
      const std::vector<Measurement> measured = run_chunk(built, first, last);
      for (std::size_t i = first; i < last; ++i) {
        record(proposals[i], points[i], built[i], measured[i - first]);
        const Measurement& m = measured[i - first];
        if (trials != nullptr) trials->push_back({points[i], m.outcome, m.timing.median_ns});
      }
      if (progress_) progress_(progress());
    }
  }

  /// One measurement for each of [first, last), those that were not built included.
  std::vector<Measurement> run_chunk(const std::vector<BuildResult>& built, std::size_t first, std::size_t last) {
    std::vector<RunRequest> requests;
    for (std::size_t i = first; i < last; ++i) {
      if (built[i].outcome == Outcome::kOk) requests.push_back({&built[i].object});
    }
    std::vector<Measurement> ran = state_.runner->run(requests, state_.incumbent ? &*state_.incumbent : nullptr);
    std::vector<Measurement> all;
    auto next = ran.begin();
    for (std::size_t i = first; i < last; ++i) {
      Measurement m;
      if (built[i].outcome == Outcome::kOk) {
        m = std::move(*next++);
      } else {
        m.outcome = built[i].outcome;
        m.message = built[i].message;
      }
      m.compile_ms = built[i].compile_ms;
      state_.result.times.check += static_cast<std::int64_t>(m.check_ms * 1e6);
      state_.result.times.measure += static_cast<std::int64_t>(m.measure_ms * 1e6);
      all.push_back(std::move(m));
    }
    return all;
  }

  void record(const CommittedProposal& proposal, const Point& point, const BuildResult& built, const Measurement& m) {
    TrialId trial = 0;
    {
      const Stopwatch watch(state_.result.times.log);
      trial = state_.log.record(state_.id, proposal.id, m);
    }
    ++state_.result.outcomes[m.outcome];
    if (m.outcome != Outcome::kOk && state_.result.first_failure.empty()) {
      state_.result.first_failure = fmt::format("{}: {}", outcome_name(m.outcome), m.message);
    }
    const bool counts = m.outcome == Outcome::kOk && m.evidence.verified && !m.timing.ended_early;
    if (counts) state_.contenders.push_back({trial, point, m.timing.median_ns});
    const bool improved = counts && (state_.incumbent_ns == 0 || m.timing.median_ns < state_.incumbent_ns);
    if (improved) {
      state_.incumbent = built.object;
      state_.incumbent_ns = m.timing.median_ns;
      state_.result.seconds_to_best = stop_.seconds();
    }
    stop_.count_trial(improved);
  }

  void finish() {
    state_.result.trials = stop_.trials();
    state_.result.interrupted = stop_.interrupted();
    state_.result.model_audit = ranker_.audit();
    state_.result.times.features = ranker_.feature_ns();
    state_.result.times.train = ranker_.train_ns();
    state_.result.times.propose -= ranker_.feature_ns() + ranker_.train_ns();
    if (!state_.result.interrupted) {
      const Stopwatch watch(state_.result.times.race);
      run_final_race(state_);
    }
    state_.result.best = state_.log.best(filter_of(state_.key), state_.versions);
    state_.result.seconds = stop_.seconds();
  }

  Progress progress() const {
    Progress p{.trials = stop_.trials(), .outcomes = state_.result.outcomes, .best_ns = state_.incumbent_ns};
    if (p.best_ns > 0) p.best_gflops = state_.key.workload.flops / p.best_ns;
    p.seconds = stop_.seconds();
    if (stop_.budget().seconds > 0) p.seconds_left = std::max(0.0, stop_.budget().seconds - p.seconds);
    return p;
  }

  StopCondition stop_;  // first: its time runs from here, start-up included
  const ProgressFunction& progress_;
  SessionState state_;
  KnobColumns columns_;
  Ranker ranker_;
  std::unique_ptr<SearchStrategy> strategy_;
};

}  // namespace

SessionResult run_session(const Task& task, TuningLog& log, const SessionOptions& options,
                          const std::atomic<bool>* interrupt, const ProgressFunction& progress) {
  return Session(task, log, options, interrupt, progress).run();
}

}  // namespace nestwright
