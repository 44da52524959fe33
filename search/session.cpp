#include "search/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/active_clock.h"
#include "search/measuring_order.h"
#include "search/session_state.h"
#include "search/stopwatch.h"
#include "search/strategy.h"
#include "search/warm_start.h"
#include "support/error.h"

namespace nestwright {
namespace {

// Candidates that are checked and timed between two looks at the budget: one where a kernel takes long.
constexpr std::size_t kChunk = 8;
constexpr double kLong_ns = 20e6;

std::vector<ConfigSpace> spaces(const SearchSpace& space) {
  std::vector<ConfigSpace> list;
  for (const auto& member : space.members()) list.push_back(member.space);
  return list;
}

template <class T>
std::vector<T> permuted(std::vector<T> items, const std::vector<std::size_t>& order) {
  std::vector<T> result;
  for (const std::size_t i : order) result.push_back(std::move(items[i]));
  return result;
}

}  // namespace

class TuningSession::Loop {
 public:
  Loop(const Task& task, TuningLog& log, const SessionOptions& options, const std::atomic<bool>* interrupt,
       ProgressFunction progress)
      : clock_(steady_clock()),
        stop_(options.budget, clock_, interrupt),
        progress_(std::move(progress)),
        options_(options),
        start_up_(clock_),
        state_(task, log, options_),
        columns_(spaces(state_.space)),
        ranker_(make_cost_model(options.cost_model, options.seed), make_cost_model(options.cost_model, options.seed),
                [this](const Point& point) { return point_features(state_.space, columns_, point); }) {
    WarmStart warm = warm_start(log, state_.key, state_.space, columns_, state_.versions);
    ranker_.warm_start(std::move(warm.lessons));
    strategy_ = make_strategy(options.strategy, {&state_.space, &ranker_, options.seed, std::move(warm.points)});
    start_up_.end();
  }

  bool step() {
    const ActiveClock::Scope active(clock_);
    try {
      return advance();
    } catch (const std::exception& failure) {
      if (state_.id != 0) state_.log.end_session(state_.id, SessionStatus::kFailed, failure.what());
      throw;
    }
  }

  SessionResult finish() {
    const ActiveClock::Scope active(clock_);
    try {
      conclude();
    } catch (const std::exception& failure) {
      if (state_.id != 0) state_.log.end_session(state_.id, SessionStatus::kFailed, failure.what());
      throw;
    }
    const SessionStatus status = state_.result.interrupted ? SessionStatus::kInterrupted : SessionStatus::kDone;
    if (state_.id != 0) state_.log.end_session(state_.id, status, state_.result.stop_reason);
    return std::move(state_.result);
  }

  StopCondition& stop() { return stop_; }
  const SessionState& state() const { return state_; }

 private:
  /// The clock runs while the members after it are made.
  class StartUp {
   public:
    explicit StartUp(ActiveClock& clock) { scope_.emplace(clock); }
    void end() { scope_.reset(); }

   private:
    std::optional<ActiveClock::Scope> scope_;
  };

  bool advance() {
    if (state_.id == 0) start();
    if (!stop_reason().empty()) return false;
    if (!replayed_) {
      if (auto left_over = state_.log.claim_unfinished_batch(state_.id)) {
        measure(*left_over, nullptr);
        return true;
      }
      replay_history();
    }
    return next_batch();
  }

  void start() {
    const SessionOptions& options = options_;
    state_.id = state_.log.begin_session(
        state_.key, {.seed = options.seed, .strategy = options.strategy, .cost_model = options.cost_model});
    for (const auto& member : state_.space.members()) {
      const PointCount count = member.space.count_valid();
      state_.log.describe_space(state_.id, {member.source->name, member.source->version}, count.points,
                                count.estimated);
    }
    for (const TrialRecord& trial : state_.log.trials(filter_of(state_.key))) {
      ++state_.result.earlier_trials;
      if (const auto point = state_.point_of(trial.proposal)) {
        state_.remember(trial.id, *point, trial.measurement, trial.code);
      }
    }
    adopt_stored_best();
    state_.result.times.start_up = static_cast<std::int64_t>(stop_.seconds() * 1e9);
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
    replayed_ = true;
    std::vector<TrialRecord> trials = state_.log.trials(filter_of(state_.key));
    std::stable_sort(trials.begin(), trials.end(), [](const TrialRecord& a, const TrialRecord& b) {
      return std::pair(a.batch, a.position) < std::pair(b.batch, b.position);
    });
    std::vector<Trial> batch;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const TrialRecord& trial = trials[i];
      if (const auto point = state_.point_of(trial.proposal)) {
        tell_needs(*point, trial.measurement.resources);
        batch.push_back({*point, trial.measurement.outcome, trial.measurement.timing.median_ns});
      }
      if (i + 1 == trials.size() || trials[i + 1].batch != trial.batch) {
        strategy_->observe(batch);
        batch.clear();
      }
    }
  }

  /// False where the space is exhausted.
  bool next_batch() {
    const int number = state_.log.next_batch_number(state_.key);
    const int wanted = static_cast<int>(stop_.allowed(options_.batch_size));
    std::vector<Proposal> proposals;
    {
      const Stopwatch watch(state_.result.times.propose);
      for (Point& point : strategy_->propose(number, wanted)) {
        proposals.push_back({{point.template_name, point.version}, std::move(point.config), options_.strategy});
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
    std::vector<BuildResult> built = state_.build(points, Pipeline::kSearch);
    for (std::size_t i = 0; i < points.size(); ++i) tell_needs(points[i], built[i].object.resources);
    // What an earlier session left over comes before the ranker has heard of anything.
    const std::vector<std::size_t> order = measuring_order(points, built, trials != nullptr ? &ranker_ : nullptr);
    points = permuted(std::move(points), order);
    proposals = permuted(std::move(proposals), order);
    built = permuted(std::move(built), order);

    std::vector<std::optional<Trial>> in_batch(points.size());
    std::size_t last = 0;
    for (std::size_t first = 0; first < points.size() && stop_reason().empty(); first = last) {
      last = std::min(first + (state_.incumbent_ns > kLong_ns ? 1 : kChunk), points.size());
      std::vector<std::optional<Measurement>> measured = run_chunk(built, first, last);
      for (std::size_t i = first; i < last; ++i) {
        const Measurement m = record(proposals[i], points[i], built[i], measured[i - first]);
        in_batch[order[i]] = Trial{points[i], m.outcome, m.timing.median_ns};
      }
      if (progress_) progress_(progress());
    }
    if (trials == nullptr) return;
    for (std::optional<Trial>& trial : in_batch) {
      if (trial) trials->push_back(std::move(*trial));
    }
  }

  void tell_needs(const Point& point, const std::vector<KernelResources>& resources) {
    if (const auto needs = needs_of(resources)) ranker_.tell_needs(point, *needs);
  }

  /// One measurement for each of [first, last), those that were not built included; nothing for code that is known, or
  /// will be once an earlier one of them is recorded.
  std::vector<std::optional<Measurement>> run_chunk(const std::vector<BuildResult>& built, std::size_t first,
                                                    std::size_t last) {
    const auto is_known = [&](std::size_t i) {
      const std::string& code = built[i].object.code;
      if (code.empty()) return false;
      const auto same = [&](const BuildResult& other) { return other.object.code == code; };
      return state_.known_code.find(code) != nullptr ||
             std::any_of(built.begin() + static_cast<std::ptrdiff_t>(first),
                         built.begin() + static_cast<std::ptrdiff_t>(i), same);
    };
    std::vector<RunRequest> requests;
    std::vector<std::size_t> requested;
    for (std::size_t i = first; i < last; ++i) {
      if (built[i].outcome != Outcome::kOk || is_known(i)) continue;
      requests.push_back({&built[i].object});
      requested.push_back(i);
    }
    std::vector<std::optional<Measurement>> all(last - first);
    std::int64_t running = 0, checking = 0;
    {
      const Stopwatch watch(running);
      std::vector<Measurement> ran = state_.runner->run(requests, state_.incumbent ? &*state_.incumbent : nullptr);
      for (std::size_t r = 0; r < ran.size(); ++r) {
        checking += static_cast<std::int64_t>(ran[r].check_ms * 1e6);
        all[requested[r] - first] = std::move(ran[r]);
      }
    }
    state_.result.times.check += checking;
    state_.result.times.measure += running - checking;  // the incumbent's samples among it
    for (std::size_t i = first; i < last; ++i) {
      if (built[i].outcome == Outcome::kOk) continue;
      all[i - first].emplace();
      all[i - first]->outcome = built[i].outcome;
      all[i - first]->message = built[i].message;
    }
    return all;
  }

  /// Without a measurement: takes that of the trial of the same code.
  Measurement record(const CommittedProposal& proposal, const Point& point, const BuildResult& built,
                     std::optional<Measurement>& measured) {
    TrialCode code{built.object.code, 0};
    Measurement m;
    if (measured) {
      m = std::move(*measured);
      m.compile_ms = built.compile_ms;
    } else {
      const KnownCode::Known* known = state_.known_code.find(code.identity);
      check(known != nullptr, "a trial was not measured though its code is not known");
      m = taken_from(*known, built.compile_ms);
      code.same_as = known->trial;
      ++state_.result.same_code;
    }
    m.resources = built.object.resources;
    TrialId trial = 0;
    {
      const Stopwatch watch(state_.result.times.log);
      trial = state_.log.record(state_.id, proposal.id, m, code);
    }
    state_.remember(trial, point, m, code);
    ++state_.result.outcomes[m.outcome];
    if (m.outcome != Outcome::kOk && state_.result.first_failure.empty()) {
      state_.result.first_failure = fmt::format("{}: {}", outcome_name(m.outcome), m.message);
    }
    const bool counts = code.same_as == 0 && m.outcome == Outcome::kOk && m.evidence.verified && !m.timing.ended_early;
    if (counts) state_.contenders.push_back({trial, point, m.timing.median_ns});
    const bool improved = counts && (state_.incumbent_ns == 0 || m.timing.median_ns < state_.incumbent_ns);
    if (improved) {
      state_.incumbent = built.object;
      state_.incumbent_ns = m.timing.median_ns;
      state_.result.seconds_to_best = stop_.seconds();
    }
    stop_.count_trial(improved);
    state_.result.trials = stop_.trials();
    return m;
  }

  void conclude() {
    state_.result.interrupted = stop_.interrupted();
    state_.result.model_audit = ranker_.audit();
    state_.result.times.features = ranker_.feature_ns();
    state_.result.times.train = ranker_.train_ns();
    state_.result.times.propose -= ranker_.feature_ns() + ranker_.train_ns();
    if (!state_.result.interrupted && state_.id != 0) {
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

  ActiveClock clock_;
  StopCondition stop_;  // its time runs from here, start-up included
  const ProgressFunction progress_;
  const SessionOptions options_;
  StartUp start_up_;
  SessionState state_;
  KnobColumns columns_;
  Ranker ranker_;
  std::unique_ptr<SearchStrategy> strategy_;
  bool replayed_ = false;
};

TuningSession::TuningSession(const Task& task, TuningLog& log, const SessionOptions& options,
                             const std::atomic<bool>* interrupt, const ProgressFunction& progress)
    : loop_(std::make_unique<Loop>(task, log, options, interrupt, progress)) {}
TuningSession::~TuningSession() = default;

bool TuningSession::step() { return loop_->step(); }
void TuningSession::limit(std::int64_t trials, double seconds) { loop_->stop().limit(trials, seconds); }
SessionResult TuningSession::finish() { return loop_->finish(); }
const SessionResult& TuningSession::so_far() const { return loop_->state().result; }
double TuningSession::best_ns() const { return loop_->state().incumbent_ns; }
double TuningSession::seconds() const { return loop_->stop().seconds(); }
double TuningSession::race_seconds() const { return loop_->state().race_seconds(); }

SessionResult run_session(const Task& task, TuningLog& log, const SessionOptions& options,
                          const std::atomic<bool>* interrupt, const ProgressFunction& progress) {
  TuningSession session(task, log, options, interrupt, progress);
  while (session.step()) {
  }
  return session.finish();
}

}  // namespace nestwright
