#include "search/session/session_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lookup/provenance.h"
#include "measure/race/quiet_estimate.h"
#include "nestwright/error.h"
#include "search/budget/stopwatch.h"
#include "search/propose/make_strategy.h"
#include "search/session/measuring_order.h"
#include "search/session/reference_time.h"
#include "search/task/timing_lock.h"
#include "search/trials/incumbent_part.h"
#include "search/trials/session_best.h"
#include "space/config_json.h"

namespace nestwright {
namespace {

// Candidates between two checks of the budget, and where they are timed by parts; one where kernels exceed kLongNs.
constexpr std::int64_t kChunk = 16, kChunkOfParts = 8;
constexpr double kLongNs = 20e6;
constexpr int kRenewAfter = 4;  // incumbents after which the reference time is measured again
// Shares of the budget that the final race gets where the search has exceeded it, and by which it may exceed it then.
constexpr double kOverrun = 0.02, kMaxOverrun = 0.04;
constexpr double kConclude_s = 0.3;  // for what follows the final race
constexpr int kTries = 3;            // to time the default again at once if it was disturbed, and does not take long
constexpr double kRecordedGrowth =
    1.25;                         // of what was considered, when it is recorded again: a killed session keeps most
constexpr double kGrace_s = 0.5;  // what is being done when the time is over may go on for so long

/// Records the number of valid points of each template.
void describe_spaces(const Tools& tools) {
  for (const SearchSpace::Member& member : tools.space.members()) {
    const PointCount count = member.space.count_valid();
    tools.log.describe_space(tools.id, {member.source->name, member.source->version}, count.points, count.estimated);
  }
}

/// Makes the log forget what failed while a plugin of the operator or its templates was another one: the failure may be
/// mended. Requires that no trial of the task was read.
void forget_failures_of_rebuilt_plugins(const TaskContext& context, const Tools& tools) {
  std::vector<TemplateVersion> of_plugins;
  for (const SearchSpace::Member& member : tools.space.members()) {
    const bool is_plugged = !member.source->plugin.empty() || !context.workload().op->plugin.empty();
    if (is_plugged) of_plugins.push_back({member.source->name, member.source->version});
  }
  if (of_plugins.empty()) return;
  for (const SessionUnit& unit : tools.log.session_units(context.key())) {
    if (is_any_rebuilt(context.provenance().plugins, unit.plugins)) tools.log.forget_failures(unit.session, of_plugins);
  }
}

}  // namespace

SessionLoop::SessionLoop(const TaskContext& context, TuningLog& log, const SessionOptions& options,
                         const std::atomic<bool>* interrupt, ProgressFunction progress)
    : clock_(steady_clock()),
      stop_(options.budget, clock_, interrupt),
      progress_function_(std::move(progress)),
      options_(options),
      start_up_(clock_, progress_function_, options.budget.seconds),
      lock_(timing_lock_name(context.target())),
      context_(context),
      tools_(
          context, log, options_, [this](const std::string& why) { show_progress(why); },
          [this] { return hard_seconds_left(); }),
      trials_(tools_.space.default_point()),
      history_(context_, trials_, tools_),
      columns_(tools_.space.config_spaces()),
      ranker_(make_cost_model(options.cost_model, options.seed), make_cost_model(options.cost_model, options.seed),
              [this](const Point& point) { return candidate_features(context_.task(), columns_, point); }),
      relatives_(log, context_.key(), tools_.space, columns_, tools_.versions) {
  ranker_.count_ranked_in(considered_);
  start_up_.end();
}

bool SessionLoop::step() {
  const ActiveClock::Scope active(clock_);
  return guarded([&] {
    // Where another tuner keeps the machine until the time is over, the first candidate is measured beside it.
    const MachineLock::Hold turn = lock_machine([this] { return !stop_reason().empty(); });
    return (turn.is_granted() || needs_answer()) && advance();
  });
}

SessionResult SessionLoop::finish(double seconds, double interrupted_s) {
  const ActiveClock::Scope active(clock_);
  guarded([&] {
    result_.interrupted = stop_.is_interrupted();
    result_.all_failed = stop_.all_failed();
    if (std::isfinite(seconds)) stop_.limit(0, std::max(seconds, 0.0));
    const FinalRaceLimits limits = race_limits(seconds, interrupted_s);
    const MachineLock::Hold turn = lock_machine([&] { return limits.seconds_left() <= 0; });
    if (turn.is_granted() && tools_.id != 0) race(limits);
    if (tools_.id != 0) record_considered(1);
    conclude();
    return true;
  });
  const SessionStatus status = result_.interrupted  ? SessionStatus::kInterrupted
                               : result_.all_failed ? SessionStatus::kFailed
                                                    : SessionStatus::kDone;
  if (tools_.id != 0) tools_.log.end_session(tools_.id, status, result_.stop_reason);
  return std::move(result_);
}

double SessionLoop::finish_seconds() const {
  const double budget = stop_.budget().seconds, now = stop_.seconds();
  if (budget == 0) return std::numeric_limits<double>::infinity();
  return std::max(budget - kConclude_s, std::min(now + kOverrun * budget, (1 + kMaxOverrun) * budget)) - now;
}

MachineLock::Hold SessionLoop::lock_machine(const std::function<bool()>& give_up) {
  bool said = false;
  MachineLock::Hold turn = lock_.hold([&] {
    if (!std::exchange(said, true)) show_progress("another tuner has the machine");
    return give_up();
  });
  tools_.has_machine = turn.is_granted();
  return turn;
}

bool SessionLoop::is_past_budget() const {
  const double budget = stop_.budget().seconds;
  return stop_.is_interrupted() || (budget > 0 && stop_.seconds() > budget - reserve_s());
}

double SessionLoop::hard_seconds_left() const {
  const double budget = stop_.budget().seconds;
  if (races_end_s_ > 0) return races_end_s_ + kGrace_s - stop_.seconds();
  if (budget == 0 || needs_answer()) return std::numeric_limits<double>::infinity();
  return (1 + kOverrun) * budget + kGrace_s - stop_.seconds();
}

bool SessionLoop::advance() {
  if (tools_.id == 0) start();
  if (!goes_on()) return false;
  if (!history_.is_replayed()) {
    if (auto left_over = tools_.log.claim_unfinished_batch(tools_.id)) {
      measure(*left_over, nullptr);
      return true;
    }
    history_.replay(*strategy_, ranker_, parts_);
  }
  history_.read_news(*strategy_, ranker_);
  measure_disturbed();
  confirm_parts([this] { return parts_.take_during_search(trials_.incumbent_ns(), stop_.seconds()); });
  return next_batch();
}

void SessionLoop::start() {
  tools_.id =
      tools_.log.begin_session(context_.key(), {.seed = options_.seed,
                                                .strategy = options_.strategy,
                                                .cost_model = options_.cost_model,
                                                .options_json = to_json(options_.restriction, options_.template_name),
                                                .made_by = context_.provenance()});
  describe_spaces(tools_);
  forget_failures_of_rebuilt_plugins(context_, tools_);
  result_.earlier_trials = tools_.log.totals(context_.key()).trials;
  own_trials_ = history_.read();
  if (trials_.incumbent_ns() > 0) stop_.note_best();
  // One that was disturbed, or that is outside of this session's space, is not among those that were read.
  if (tools_.log.has_right_trial(context_.key())) stop_.note_right();
  if (needs_answer()) announce_first_trial();
  strategy_ =
      make_strategy(options_.strategy,
                    {.space = &tools_.space, .ranker = &ranker_, .seed = options_.seed, .considered = &considered_});
  tools_.times.start_up = static_cast<std::int64_t>(stop_.seconds() * 1e9);
}

void SessionLoop::learn_from_relatives() {
  std::optional<WarmStart> warm = relatives_.read(own_trials_ + static_cast<std::size_t>(stop_.trials()));
  if (!warm) return;
  ranker_.set_other_tasks(std::move(warm->observations));
  strategy_->transfer(std::move(warm->points));
}

void SessionLoop::announce_first_trial() const {
  const double budget = stop_.budget().seconds, first_s = tools_.rates.first_trial_s();
  if (budget == 0 || stop_.seconds() + first_s <= budget) return;
  show_progress({}, "one checked call of the default, and nothing else",
                fmt::format("it takes about {:.1f} s, more than is left of {:g} s", first_s, budget));
}

std::string SessionLoop::stop_reason() {
  if (result_.stop_reason.empty()) result_.stop_reason = stop_.reason(reserve_s());
  return result_.stop_reason;
}

bool SessionLoop::needs_answer() const {
  return stop_.trials() == 0 && !stop_.is_interrupted() && !trials_.incumbent() &&
         (tools_.id == 0 || !session_best(context_, trials_, tools_));
}

bool SessionLoop::has_rough_unit() const { return trials_.has_rough_unit() && trials_.incumbent_ns() <= kLongNs; }

std::int64_t SessionLoop::chunk_size() {
  return part_of_incumbent(trials_, tools_) != nullptr ? kChunkOfParts : trials_.incumbent_ns() > kLongNs ? 1 : kChunk;
}

bool SessionLoop::next_batch() {
  const int number = tools_.log.next_batch_number(context_.key());
  std::vector<Point> points;
  {
    const Stopwatch watch(tools_.times.propose);
    learn_from_relatives();
    points = strategy_->propose(number, static_cast<int>(stop_.allowed(options_.batch_size)));
  }
  if (points.empty()) {
    result_.stop_reason = end_of_proposals();
    return false;
  }
  Batch batch;
  {
    const Stopwatch watch(tools_.times.log);
    batch = tools_.log.commit_batch(tools_.id, number, points, options_.strategy);
    record_considered(kRecordedGrowth);
  }
  std::vector<SessionTrial> trials;
  measure(batch, &trials);
  strategy_->observe(trials);
  strategy_->amend(trials_.take_rescored());
  SearchOutlook outlook = strategy_->outlook();
  if (trials_.incumbent()) {
    outlook.roofline_share = tools_.rates.roofline_share(trials_.incumbent_kernel().work, trials_.incumbent_ns());
  }
  stop_.set_outlook(outlook);
  return true;
}

void SessionLoop::record_considered(double growth) {
  const std::int64_t total = considered_.total();
  if (total == considered_recorded_) return;
  if (considered_recorded_ && static_cast<double>(total) < growth * static_cast<double>(*considered_recorded_)) return;
  tools_.log.set_funnel(tools_.id, considered_.funnel());
  considered_recorded_ = total;
}

std::string SessionLoop::end_of_proposals() const {
  if (!strategy_->is_exhausted()) return "the strategy found nothing new to measure";
  const std::string within = options_.restriction.empty() ? "" : " within " + options_.restriction.str();
  return "every valid configuration" + within + " was measured";
}

void SessionLoop::measure(const Batch& batch, std::vector<SessionTrial>* trials) {
  Candidates all;
  for (std::size_t i = 0; i < batch.points.size(); ++i) {
    auto point = tools_.space.find(batch.points[i]);
    if (!point) continue;  // proposed by another version of the template, or outside of this session's restriction
    all.points.push_back(std::move(*point));
    all.proposals.push_back(batch.ids[i]);
  }
  std::vector<std::optional<SessionTrial>> in_batch(all.points.size());
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < in_batch.size() && goes_on(); begin = end) {
    // The first candidate of all, the default, is an answer, and says how long the others may take.
    end = stop_.trials() == 0 ? begin + 1 : in_batch.size();
    const auto part = [&](const auto& list) { return std::vector(list.begin() + begin, list.begin() + end); };
    // A batch left over by an earlier session is measured before the ranker has any observations.
    measure({part(all.points), part(all.proposals)}, trials != nullptr ? &ranker_ : nullptr,
            std::span(in_batch).subspan(begin, end - begin));
    // Candidates cannot be given times while the default, their unit, was disturbed.
    for (int tries = 0; tries < kTries && stop_.trials() == 1 && has_rough_unit(); ++tries) {
      measure_disturbed();
      const std::optional<SessionTrial>& incumbent = trials_.incumbent();
      if (incumbent && !has_rough_unit()) in_batch[begin] = {incumbent->id, all.points[begin], incumbent->ns};
    }
  }
  for (std::optional<SessionTrial>& trial : in_batch) {
    if (trial && trials != nullptr) trials->push_back(std::move(*trial));
  }
}

void SessionLoop::measure(Candidates candidates, Ranker* ranker, std::span<std::optional<SessionTrial>> trials) {
  const double part_share =
      part_of_incumbent(trials_, tools_) != nullptr ? tools_.part_share(trials_.incumbent_ns()) : 0;
  std::vector<BuiltPoint> built = tools_.build(
      candidates.points, Pipeline::kSearch, [this] { return is_past_budget() && !needs_answer(); }, part_share);
  for (std::size_t i = 0; i < built.size(); ++i) {
    if (built[i].result.is_skipped) return;  // all of them stay in their batch
    record_resources(ranker_, candidates.points[i], built[i].result.object.resources);
  }
  const std::vector<std::size_t> order = measuring_order(candidates.points, built, ranker);
  const std::vector<Point> points = permuted(std::move(candidates.points), order);
  const std::vector<ProposalId> proposals = permuted(std::move(candidates.proposals), order);
  built = permuted(std::move(built), order);

  std::size_t last = 0;
  for (std::size_t first = 0; first < points.size() && goes_on(); first = last) {
    last = std::min(first + static_cast<std::size_t>(stop_.allowed(chunk_size())), points.size());
    const auto part = [&](auto& items) { return std::span(items).subspan(first, last - first); };
    const ChunkResult chunk = run_chunk(
        trials_, tools_, part(built), [&](std::size_t i) { return is_known(built, first, first + i); },
        [this] { return is_past_budget(); });
    std::vector<TrialId> recorded;
    for (std::size_t i = first; i < last; ++i) {
      const std::optional<Measurement>& measured = chunk.measurements[i - first];
      if (measured && was_skipped(*measured)) {
        recorded.push_back(0);
        continue;
      }
      const Measurement m = record(proposals[i], points[i], built[i], measured, recorded);
      if (has_label(m)) trials[order[i]] = session_trial(recorded.back(), points[i], m);
      const std::string& code = built[i].result.object.code_fingerprint;
      if (measured) parts_.add({recorded.back(), points[i], code}, m, chunk.is_successor(i - first));
    }
    note_incumbent(chunk, part(points), part(built), recorded);
    show_progress({});
  }
}

bool SessionLoop::is_known(const std::vector<BuiltPoint>& built, std::size_t first, std::size_t i) const {
  const std::string& code = built[i].result.object.code_fingerprint;
  if (code.empty()) return false;
  const auto is_same = [&](const BuiltPoint& other) { return other.result.object.code_fingerprint == code; };
  return trials_.known_code().find(code) != nullptr ||
         std::ranges::any_of(std::span(built).subspan(first, i - first), is_same);
}

Measurement SessionLoop::record(ProposalId proposal, const Point& point, const BuiltPoint& built,
                                const std::optional<Measurement>& measured, std::vector<TrialId>& recorded) {
  TrialCode code{built.result.object.code_fingerprint, 0};
  Measurement m;
  if (measured) {
    m = *measured;
    m.compile_ms = built.result.compile_ms;
    if (m.timing.part_ratio == 0) estimate_quiet_time(m.timing);
  } else {
    const KnownCode::Known* known = trials_.known_code().find(code.identity);
    check(known != nullptr, "a trial was not measured though its code is not known");
    m = taken_from(*known, built.result.compile_ms);
    code.same_as = known->trial;
    m.resources = built.result.object.resources;
    ++result_.same_code;
  }
  TrialId trial = 0;
  {
    const Stopwatch watch(tools_.times.log);
    trial = tools_.log.record(tools_.id, proposal, m, code);
  }
  recorded.push_back(trial);
  trials_.remember(trial, point, m, code);
  ++result_.outcomes[m.outcome];
  if (m.outcome == Outcome::kOk) stop_.note_right();
  if (m.outcome != Outcome::kOk && result_.first_failure.empty()) {
    result_.first_failure = fmt::format("{}: {}", outcome_name(m.outcome), m.message);
  }
  if (measured && m.timing.is_disturbed()) {
    ++result_.disturbed;
    disturbed_.add(session_trial(trial, point, m), built);
  }
  if (code.same_as == 0) trials_.note_timed(trial, point, m);
  return m;
}

void SessionLoop::note_incumbent(const ChunkResult& chunk, std::span<const Point> points,
                                 std::span<const BuiltPoint> built, std::span<const TrialId> recorded) {
  const std::optional<double> ratio = update_references(trials_, tools_, chunk, points, built, recorded);
  const auto trials = std::ranges::count_if(recorded, [](TrialId trial) { return trial != 0; });
  for (std::ptrdiff_t i = 0; i < trials; ++i) stop_.count_trial(ratio && i + 1 == trials);
  result_.trials = stop_.trials();
  if (ratio) note_successor(*ratio);
}

void SessionLoop::note_successor(double ratio) {
  if (ratio > 1) stop_.note_improvement(ratio);
  result_.seconds_to_best = stop_.seconds();
  if (++incumbents_ % kRenewAfter == 0) renew_reference_time(trials_, tools_);
}

void SessionLoop::measure_disturbed() {
  const auto again = disturbed_.take(static_cast<std::size_t>(chunk_size()), trials_.known_code());
  if (again.trials.empty()) return;
  std::vector<SessionTrial> amended;
  const MeasuredAgain measured = measure_again(trials_, tools_, again, [this] { return is_past_budget(); });
  result_.remeasured += static_cast<std::int64_t>(measured.trials.size());
  for (const auto& [i, m] : measured.trials) {
    const auto& [id, point, ns, quality] = again.trials[i];
    parts_.add({id, point, again.kernels[i].result.object.code_fingerprint}, m);
    amended.push_back(session_trial(id, point, m));
  }
  note_again(measured.ratio, amended);
}

void SessionLoop::note_again(const std::optional<double>& ratio, std::span<const SessionTrial> amended) {
  if (ratio) {
    stop_.note_best();
    note_successor(*ratio);
  }
  strategy_->amend(amended);
  strategy_->amend(trials_.take_rescored());
}

void SessionLoop::confirm_parts(const std::function<std::optional<PartTrial>()>& take) {
  while (const std::optional<PartTrial> trial = take()) {
    const double start_s = stop_.seconds();
    show_progress({}, "confirming a kernel that was timed by a part");
    const WholeTrial whole = confirm_whole(trials_, tools_, *trial, [this] { return stop_.is_interrupted(); });
    parts_.spend(stop_.seconds() - start_s);
    if (whole.measurement) note_again(whole.ratio, {{session_trial(trial->trial, trial->point, *whole.measurement)}});
  }
}

void SessionLoop::race(const FinalRaceLimits& limits) {
  const Stopwatch watch(tools_.times.race);
  if (!is_past_budget()) measure_disturbed();
  if (!stop_.is_interrupted()) {
    confirm_parts(
        [&] { return parts_.take_at_end(best_ns(), limits.seconds_left() - tools_.race_plan(best_ns()).seconds); });
  }
  run_final_race(context_, trials_, tools_, limits, result_);
  result_.interrupted = stop_.is_interrupted();
}

void SessionLoop::conclude() {
  if (ranker_.audit()) result_.model_audit = std::make_shared<const ModelAudit>(*ranker_.audit());
  tools_.times.features = ranker_.feature_ns();
  tools_.times.train = ranker_.train_ns();
  tools_.times.propose -= ranker_.feature_ns() + ranker_.train_ns();
  result_.best = session_best(context_, trials_, tools_);
  result_.times = tools_.times;
  result_.seconds = stop_.seconds();
}

FinalRaceLimits SessionLoop::race_limits(double seconds, double interrupted_s) {
  races_end_s_ = stop_.seconds() + seconds;
  const auto seconds_left = [this, interrupted_s] {
    if (stop_.is_interrupted()) races_end_s_ = std::min(races_end_s_, stop_.seconds() + interrupted_s);
    return races_end_s_ - stop_.seconds();
  };
  const auto on_progress = [this](const std::string& doing, const RaceProgress& progress) {
    std::string detail = fmt::format("{} of {}", progress.done, progress.of);
    if (progress.seconds_left >= 0) detail += fmt::format(", {:.0f} s more", progress.seconds_left);
    show_progress({}, doing, detail);
  };
  return {seconds_left, on_progress};
}

void SessionLoop::show_progress(const std::string& waiting_for, const std::string& phase,
                                const std::string& detail) const {
  if (!progress_function_) return;
  const double seconds = stop_.seconds(), budget = stop_.budget().seconds;
  const double left = budget > 0 ? std::max(0.0, budget - seconds) : 0;
  const std::int64_t disturbed = result_.disturbed - result_.remeasured;
  progress_function_(
      {stop_.trials(), result_.outcomes, trials_.incumbent_ns(), seconds, left, disturbed, waiting_for, phase, detail});
}

}  // namespace nestwright
