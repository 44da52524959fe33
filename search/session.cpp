#include "search/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "search/active_clock.h"
#include "search/chunk.h"
#include "search/disturbed_trials.h"
#include "search/final_race.h"
#include "search/measuring_order.h"
#include "search/part_trials.h"
#include "search/session_state.h"
#include "search/stopwatch.h"
#include "search/strategy.h"
#include "search/timing_lock.h"
#include "search/units.h"
#include "search/warm_start.h"
#include "space/config_json.h"
#include "support/caught_message.h"
#include "support/error.h"
#include "support/machine_lock.h"

namespace nestwright {
namespace {

// Candidates between two checks of the budget; where they are timed by parts; one where a kernel takes longer than
// kLongNs.
constexpr std::int64_t kChunk = 16, kChunkOfParts = 8;
constexpr double kLongNs = 20e6;
// Earlier trials that a session starts from: reading and replaying them takes less than half a second.
constexpr std::int64_t kLatestTrials = 4096, kFastestTrials = 64;
constexpr int kRenewAfter = 4;     // incumbents after which the reference time is measured again
constexpr double kOverrun = 0.08;  // share of the budget by which the final race may exceed it
constexpr double kConfirmations_s = 5;  // for confirmations after a search without a limit of time

std::vector<ConfigSpace> spaces(const SearchSpace& space) {
  std::vector<ConfigSpace> list;
  for (const auto& member : space.members()) list.push_back(member.space);
  return list;
}

}  // namespace

class TuningSession::Loop {
 public:
  Loop(const Task& task, TuningLog& log, const SessionOptions& options, const std::atomic<bool>* interrupt,
       ProgressFunction progress)
      : clock_(steady_clock()),
        stop_(options.budget, clock_, interrupt),
        progress_function_(std::move(progress)),
        options_(options),
        start_up_(clock_),
        lock_(timing_lock_name(task.target)),
        state_(task, log, options_, [this](const std::string& why) { show_progress(why); }),
        columns_(spaces(state_.space)),
        ranker_(make_cost_model(options.cost_model, options.seed), make_cost_model(options.cost_model, options.seed),
                [this](const Point& point) { return candidate_features(state_.space.task(), columns_, point); }) {
    start_up_.end();
  }

  bool step() {
    const ActiveClock::Scope active(clock_);
    return guarded([&] {
      const MachineLock::Hold turn = lock_machine([this] { return !stop_reason().empty(); });
      return turn.is_granted() && advance();
    });
  }

  SessionResult finish(double interrupted_s) {
    const ActiveClock::Scope active(clock_);
    guarded([&] {
      state_.result.interrupted = stop_.is_interrupted();
      const RaceEnds ends = race_ends(interrupted_s);
      const MachineLock::Hold turn = lock_machine(ends.final);
      if (turn.is_granted() && state_.id != 0) race(ends);
      conclude();
      return true;
    });
    const SessionStatus status = state_.result.interrupted ? SessionStatus::kInterrupted : SessionStatus::kDone;
    if (state_.id != 0) state_.log.end_session(state_.id, status, state_.result.stop_reason);
    return std::move(state_.result);
  }

  StopCondition& stop() { return stop_; }
  const SessionState& state() const { return state_; }
  /// Seconds of the budget that the end of the session takes.
  double reserve_s() const { return state_.race_plan().seconds + parts_.reserve_s(state_.incumbent_ns()); }

 private:
  /// Runs the clock while the members declared after it are constructed.
  class StartUp {
   public:
    explicit StartUp(ActiveClock& clock) { scope_.emplace(clock); }
    void end() { scope_.reset(); }

   private:
    std::optional<ActiveClock::Scope> scope_;
  };

  template <class Function>
  bool guarded(const Function& function) {
    try {
      return function();
    } catch (...) {
      if (state_.id != 0) state_.log.end_session(state_.id, SessionStatus::kFailed, caught_message());
      throw;
    }
  }

  /// Waits until no other process times or compiles. Calls `give_up` every 10 ms.
  MachineLock::Hold lock_machine(const std::function<bool()>& give_up) {
    bool said = false;
    return lock_.hold([&] {
      if (!std::exchange(said, true)) show_progress("another tuner has the machine");
      return give_up();
    });
  }

  bool is_past_budget() const {
    const double budget = stop_.budget().seconds;
    return stop_.is_interrupted() || (budget > 0 && stop_.seconds() > budget - reserve_s());
  }

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
    read_other_sessions();
    measure_disturbed();
    confirm_parts([this] { return parts_.take_during_search(state_.incumbent_ns(), stop_.seconds()); });
    return next_batch();
  }

  void start() {
    state_.id =
        state_.log.begin_session(state_.key, {.seed = options_.seed,
                                              .strategy = options_.strategy,
                                              .cost_model = options_.cost_model,
                                              .options_json = to_json(options_.restriction, options_.template_name),
                                              .made_by = state_.made_by});
    state_.describe_spaces();
    state_.forget_failures_of_rebuilt_plugins();
    state_.result.earlier_trials = state_.log.totals(state_.key).trials;
    history_ = state_.log.history(state_.key, kLatestTrials, kFastestTrials);
    for (const TrialRecord& trial : history_) {
      const auto point = state_.point_of(trial.proposal);
      if (point) state_.note_default(trial.id, *point, trial.measurement.outcome, trial.code);
    }
    units_.establish(state_, history_);
    if (state_.incumbent_ns() > 0) stop_.note_best();
    const std::size_t own_trials = remember_all(history_);
    WarmStart warm = warm_start(state_.log, state_.key, state_.space, columns_, state_.versions, own_trials);
    ranker_.warm_start(std::move(warm.observations));
    strategy_ = make_strategy(options_.strategy, {&state_.space, &ranker_, options_.seed, std::move(warm.points)});
    state_.result.times.start_up = static_cast<std::int64_t>(stop_.seconds() * 1e9);
  }

  /// Returns the number of trials whose points are in this space.
  std::size_t remember_all(const std::vector<TrialRecord>& trials) {
    std::size_t points = 0;
    for (const TrialRecord& trial : trials) {
      last_read_ = std::max(last_read_, trial.id);
      const auto point = state_.point_of(trial.proposal);
      if (!point) continue;
      ++points;
      // Code whose time was disturbed or is not comparable is measured again when it is met again.
      const Measurement m = units_.convert(state_, trial);
      if (m.timing.is_disturbed()) {
        state_.note_default(trial.id, *point, m.outcome, trial.code);
      } else {
        state_.remember(trial.id, *point, m, trial.code);
      }
    }
    return points;
  }

  std::string stop_reason() {
    if (state_.result.stop_reason.empty()) state_.result.stop_reason = stop_.reason(reserve_s());
    return state_.result.stop_reason;
  }

  /// Passes the history, and trials recorded meanwhile, to the strategy in the batches in which they were proposed.
  void replay_history() {
    replayed_ = true;
    std::vector<TrialRecord> trials = std::exchange(history_, {});
    std::vector<TrialRecord> since = state_.log.trials_after(state_.key, last_read_);
    units_.refresh(state_);
    remember_all(since);
    std::move(since.begin(), since.end(), std::back_inserter(trials));
    std::stable_sort(trials.begin(), trials.end(), [](const TrialRecord& a, const TrialRecord& b) {
      return std::pair(a.batch, a.position) < std::pair(b.batch, b.position);
    });
    observe_recorded(trials);
    for (const TrialRecord& trial : trials) {
      const auto point = state_.point_of(trial.proposal);
      if (point && trial.code.same_as == 0) keep_part(trial.id, *point, trial.code.identity, as_observed(trial));
    }
    ranker_.end_replay();
  }

  /// As the strategy observes it: disturbed if another code generator, which may have made other code, compiled it.
  Measurement as_observed(const TrialRecord& trial) const {
    if (const Measurement* again = units_.renewed(trial.id)) return *again;
    Measurement m = units_.convert(state_, trial);
    if (!state_.is_made_here(trial.unit)) m.timing.disturbance = "compiled by another version of the code generator";
    return m;
  }

  void observe_recorded(const std::vector<TrialRecord>& trials) {
    std::vector<Trial> batch;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const TrialRecord& trial = trials[i];
      if (const auto point = state_.point_of(trial.proposal)) {
        record_resources(*point, trial.measurement.resources);
        if (has_label(trial.measurement)) batch.push_back(trial_of(*point, as_observed(trial)));
      }
      if (i + 1 == trials.size() || trials[i + 1].batch != trial.batch) {
        strategy_->observe(batch);
        batch.clear();
      }
    }
  }

  void read_other_sessions() {
    const std::vector<TrialRecord> news = state_.log.trials_after(state_.key, last_read_, state_.id);
    if (news.empty()) return;
    units_.refresh(state_);
    remember_all(news);
    observe_recorded(news);
  }

  /// Proposes and measures the next batch. False where there is nothing left to propose.
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
      state_.result.stop_reason = end_of_proposals();
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
    SearchOutlook outlook = strategy_->outlook();
    outlook.roofline_share = state_.roofline_share();
    stop_.set_outlook(outlook);
    return true;
  }

  std::string end_of_proposals() const {
    if (!strategy_->is_exhausted()) return "the strategy found nothing new to measure";
    const std::string within = options_.restriction.empty() ? "" : " within " + options_.restriction.str();
    return "every valid configuration" + within + " was measured";
  }

  /// Measures as much of a batch as the budget allows; the rest stays in the log as unfinished.
  void measure(const Batch& batch, std::vector<Trial>* trials) {
    std::vector<Point> points;
    std::vector<CommittedProposal> proposals;
    for (const CommittedProposal& proposal : batch.proposals) {
      auto point = state_.point_of(proposal.proposal);
      if (!point) continue;  // proposed by another version of the template, or outside of this session's restriction
      points.push_back(std::move(*point));
      proposals.push_back(proposal);
    }
    // The first kernel of a long workload tells how the others are timed.
    while (!points.empty() && !state_.incumbent && state_.is_long() && stop_reason().empty()) {
      measure({points.front()}, {proposals.front()}, trials);
      points.erase(points.begin());
      proposals.erase(proposals.begin());
    }
    measure(std::move(points), std::move(proposals), trials);
  }

  std::int64_t chunk_size() {
    if (state_.times_parts()) return kChunkOfParts;
    return state_.incumbent_ns() > kLongNs || (!state_.incumbent && state_.is_long()) ? 1 : kChunk;
  }

  void measure(std::vector<Point> points, std::vector<CommittedProposal> proposals, std::vector<Trial>* trials) {
    std::vector<BuiltPoint> built = state_.build_candidates(points);
    for (std::size_t i = 0; i < points.size(); ++i) record_resources(points[i], built[i].result.object.resources);
    // A batch left over by an earlier session is measured before the ranker has any observations.
    const std::vector<std::size_t> order = measuring_order(points, built, trials != nullptr ? &ranker_ : nullptr);
    points = permuted(std::move(points), order);
    proposals = permuted(std::move(proposals), order);
    built = permuted(std::move(built), order);

    std::vector<std::optional<Trial>> in_batch(points.size());
    std::size_t last = 0;
    for (std::size_t first = 0; first < points.size() && stop_reason().empty(); first = last) {
      last = std::min(first + static_cast<std::size_t>(stop_.allowed(chunk_size())), points.size());
      const auto part = [&](auto& items) { return std::span(items).subspan(first, last - first); };
      const ChunkResult chunk = run_chunk(
          state_, part(built), [&](std::size_t i) { return is_known(built, first, first + i); },
          [this] { return is_past_budget(); });
      std::vector<TrialId> recorded;
      for (std::size_t i = first; i < last; ++i) {
        const Measurement m = record(proposals[i], points[i], built[i], chunk.measurements[i - first], recorded);
        if (has_label(m)) in_batch[order[i]] = trial_of(points[i], m);
        const bool is_successor = chunk.successor && chunk.successor->candidate == i - first;
        if (chunk.by_part && chunk.measurements[i - first]) {
          keep_part(recorded.back(), points[i], built[i].result.object.code_fingerprint, m, is_successor);
        }
      }
      note_incumbent(chunk, part(points), part(built), recorded);
      show_progress({});
    }
    if (trials == nullptr) return;
    for (std::optional<Trial>& trial : in_batch) {
      if (trial) trials->push_back(std::move(*trial));
    }
  }

  void record_resources(const Point& point, const std::vector<KernelResources>& resources) {
    if (const auto of_device = candidate_resources(resources)) ranker_.record_resources(point, *of_device);
  }

  /// Whether the code of candidate `i` is known, or will be once an earlier candidate from `first` on is recorded.
  bool is_known(const std::vector<BuiltPoint>& built, std::size_t first, std::size_t i) const {
    const std::string& code = built[i].result.object.code_fingerprint;
    if (code.empty()) return false;
    const auto same = [&](const BuiltPoint& other) { return other.result.object.code_fingerprint == code; };
    return state_.known_code.find(code) != nullptr || std::any_of(built.begin() + static_cast<std::ptrdiff_t>(first),
                                                                  built.begin() + static_cast<std::ptrdiff_t>(i), same);
  }

  /// Records a trial. One without a measurement takes that of the trial with the same code.
  Measurement record(const CommittedProposal& proposal, const Point& point, const BuiltPoint& built,
                     const std::optional<Measurement>& measured, std::vector<TrialId>& recorded) {
    TrialCode code{built.result.object.code_fingerprint, 0};
    Measurement m;
    if (measured) {
      m = *measured;
      m.compile_ms = built.result.compile_ms;
    } else {
      const KnownCode::Known* known = state_.known_code.find(code.identity);
      check(known != nullptr, "a trial was not measured though its code is not known");
      m = taken_from(*known, built.result.compile_ms);
      code.same_as = known->trial;
      m.resources = built.result.object.resources;
      ++state_.result.same_code;
    }
    TrialId trial = 0;
    {
      const Stopwatch watch(state_.result.times.log);
      trial = state_.log.record(state_.id, proposal.id, m, code);
    }
    recorded.push_back(trial);
    state_.remember(trial, point, m, code);
    ++state_.result.outcomes[m.outcome];
    if (m.outcome != Outcome::kOk && state_.result.first_failure.empty()) {
      state_.result.first_failure = fmt::format("{}: {}", outcome_name(m.outcome), m.message);
    }
    if (measured && m.timing.is_disturbed()) {
      ++state_.result.disturbed;
      disturbed_.add({trial, point, built, m.timing.median_ns});
    }
    if (code.same_as == 0 && is_sound(m)) state_.sound_trials.push_back({trial, point, m.timing.median_ns});
    return m;
  }

  void note_incumbent(const ChunkResult& chunk, std::span<const Point> points, std::span<const BuiltPoint> built,
                      std::span<const TrialId> recorded) {
    const std::optional<double> ratio = adopt(state_, chunk, points, built, recorded);
    for (std::size_t i = 0; i < recorded.size(); ++i) stop_.count_trial(ratio && i + 1 == recorded.size());
    state_.result.trials = stop_.trials();
    if (ratio) note_successor(*ratio);
  }
  void note_successor(double ratio) {
    if (ratio > 1) stop_.note_improvement(ratio);
    state_.result.seconds_to_best = stop_.seconds();
    if (++incumbents_ % kRenewAfter == 0) renew_reference_time(state_);
  }

  void measure_disturbed() {
    const std::vector<DisturbedTrial> again =
        disturbed_.take(static_cast<std::size_t>(chunk_size()), state_.known_code);
    if (again.empty()) return;
    std::vector<BuiltPoint> built;
    std::vector<Point> points;
    std::vector<TrialId> trials;
    for (const DisturbedTrial& trial : again) {
      built.push_back(trial.built);
      points.push_back(trial.point);
      trials.push_back(trial.trial);
    }
    const ChunkResult chunk = run_chunk(state_, built, {}, [this] { return is_past_budget(); });
    std::vector<Trial> amended;
    for (std::size_t i = 0; i < again.size(); ++i) {
      Measurement m = chunk.measurements[i].value();
      if (m.outcome == Outcome::kOk && m.timing.is_disturbed()) continue;
      if (state_.log.may_be_best(trials[i])) continue;  // another session has measured it meanwhile
      m.compile_ms = again[i].built.result.compile_ms;
      {
        const Stopwatch watch(state_.result.times.log);
        if (!state_.log.remeasure(state_.id, trials[i], m)) continue;
      }
      ++state_.result.remeasured;
      state_.remember(trials[i], points[i], m, {built[i].result.object.code_fingerprint, 0});
      if (is_sound(m)) state_.sound_trials.push_back({trials[i], points[i], m.timing.median_ns});
      amended.push_back(trial_of(points[i], m));
    }
    if (const auto ratio = adopt(state_, chunk, points, built, trials)) {
      stop_.note_best();
      note_successor(*ratio);
    }
    strategy_->amend(amended);
  }

  /// Keeps a trial that was timed by a part of its kernel for confirmation.
  void keep_part(TrialId trial, const Point& point, const std::string& code, const Measurement& m,
                 bool seems_faster = false) {
    const bool is_right = m.outcome == Outcome::kOk && !m.timing.is_disturbed() && !m.timing.ended_early;
    if (is_right && m.timing.part_ratio > 0) parts_.add({trial, point, code, m.timing.median_ns, seems_faster});
  }

  /// Confirms the trials that `take` returns.
  void confirm_parts(const std::function<std::optional<PartTrial>()>& take) {
    while (const std::optional<PartTrial> trial = take()) {
      const double start_s = stop_.seconds();
      const WholeTrial whole = confirm_whole(state_, *trial, [this] { return stop_.is_interrupted(); });
      parts_.spend(stop_.seconds() - start_s);
      if (whole.measurement && has_label(*whole.measurement)) {
        strategy_->amend({{trial_of(trial->point, *whole.measurement)}});
      }
      if (!whole.ratio) continue;
      stop_.note_best();
      note_successor(*whole.ratio);
      show_progress({});
    }
  }

  void race(const RaceEnds& ends) {
    const Stopwatch watch(state_.result.times.race);
    if (!state_.result.interrupted) {
      measure_disturbed();
      confirm_parts([this] {
        const double budget = stop_.budget().seconds;
        const double left_s = budget > 0 ? budget - stop_.seconds() - state_.race_plan().seconds : kConfirmations_s;
        return parts_.take_at_end(state_.incumbent_ns(), left_s);
      });
    }
    run_final_race(state_, ends);
    state_.result.interrupted = stop_.is_interrupted();
  }

  void conclude() {
    state_.result.model_audit = ranker_.audit();
    state_.result.times.features = ranker_.feature_ns();
    state_.result.times.train = ranker_.train_ns();
    state_.result.times.propose -= ranker_.feature_ns() + ranker_.train_ns();
    state_.result.best = state_.best();
    state_.result.seconds = stop_.seconds();
  }

  /// Lets the races go on until the budget's seconds are over, and ends them `interrupted_s` after an interruption.
  RaceEnds race_ends(double interrupted_s) {
    const double budget = stop_.budget().seconds, now = stop_.seconds();
    races_end_s_ = budget > 0 ? std::max((1 + kOverrun) * budget, now + kOverrun * budget)
                              : std::numeric_limits<double>::infinity();
    const auto is_final_over = [this, interrupted_s] {
      if (stop_.is_interrupted()) races_end_s_ = std::min(races_end_s_, stop_.seconds() + interrupted_s);
      return stop_.seconds() > races_end_s_;
    };
    const double half = now + (races_end_s_ - now) / 2;
    return {[this, half] { return stop_.is_interrupted() || stop_.seconds() > half; }, is_final_over};
  }

  void show_progress(const std::string& waiting_for) const {
    if (!progress_function_) return;
    Progress p{.trials = stop_.trials(), .outcomes = state_.result.outcomes, .best_ns = state_.incumbent_ns()};
    p.seconds = stop_.seconds();
    if (stop_.budget().seconds > 0) p.seconds_left = std::max(0.0, stop_.budget().seconds - p.seconds);
    p.disturbed = state_.result.disturbed - state_.result.remeasured;
    p.waiting_for = waiting_for;
    progress_function_(p);
  }

  ActiveClock clock_;
  StopCondition stop_;  // its time starts here, so that it includes start-up
  const ProgressFunction progress_function_;
  const SessionOptions options_;
  StartUp start_up_;
  MachineLock lock_;
  SessionState state_;
  KnobColumns columns_;
  Ranker ranker_;
  std::unique_ptr<SearchStrategy> strategy_;
  Units units_;
  DisturbedTrials disturbed_;
  PartTrials parts_;
  std::vector<TrialRecord> history_;  ///< from start() until it is replayed
  TrialId last_read_ = 0;             ///< the last trial read, of all sessions of the task
  int incumbents_ = 0;
  double races_end_s_ = 0;  ///< set by race_ends()
  bool replayed_ = false;
};

TuningSession::TuningSession(const Task& task, TuningLog& log, const SessionOptions& options,
                             const std::atomic<bool>* interrupt, const ProgressFunction& progress)
    : loop_(std::make_unique<Loop>(task, log, options, interrupt, progress)) {}
TuningSession::~TuningSession() = default;

bool TuningSession::step() { return loop_->step(); }
void TuningSession::limit(std::int64_t trials, double seconds) { loop_->stop().limit(trials, seconds); }
SessionResult TuningSession::finish_within(double interrupted_s) { return loop_->finish(interrupted_s); }
const SessionResult& TuningSession::so_far() const { return loop_->state().result; }
double TuningSession::best_ns() const { return loop_->state().incumbent_ns(); }
double TuningSession::seconds() const { return loop_->stop().seconds(); }
double TuningSession::race_seconds() const { return loop_->reserve_s(); }

SessionResult run_session(const Task& task, TuningLog& log, const SessionOptions& options,
                          const std::atomic<bool>* interrupt, const ProgressFunction& progress) {
  TuningSession session(task, log, options, interrupt, progress);
  while (session.step()) {
  }
  return session.finish();
}

}  // namespace nestwright
