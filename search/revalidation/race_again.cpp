#include "search/revalidation/race_again.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "nestwright/error.h"
#include "search/budget/effort.h"
#include "search/race/hold_race.h"
#include "search/session/chunk.h"
#include "search/task/timing_lock.h"
#include "support/base/caught_message.h"
#include "support/os/machine_lock.h"

namespace nestwright {
namespace {

constexpr int kAttempts = 3;  // another process may store a best during the race

/// A trial that takes part in the race.
struct RaceCandidate {
  TrialId trial = 0;
  Point point;
  std::string role = "finalist";
};

SessionOptions session_options(const RaceAgainOptions& options) {
  SessionOptions session = nestwright::session_options(options.effort);
  const double left = options.seconds_left();
  session.budget = {.seconds = std::isfinite(left) ? std::max(left, 0.0) : 0};  // for references
  session.builder = options.builder;
  return session;
}

/// race_again() in steps, while it has the machine.
class RaceAgainSession {
 public:
  RaceAgainSession(const StoredBest& best, TuningLog& log, const RaceAgainOptions& options)
      : best_(best),
        context_(*best.context),
        limits_(options),
        options_(session_options(options)),
        tools_(context_, log, options_, {}, options.hard_seconds_left) {}

  RaceAgain run() {
    tools_.id = tools_.log.begin_session(context_.key(), {.seed = options_.seed,
                                                          .strategy = kRevalidateStrategy,
                                                          .cost_model = "none",
                                                          .made_by = context_.provenance()});
    try {
      RaceAgain result = race();
      const bool is_done = result.over.empty();
      tools_.log.end_session(tools_.id, is_done ? SessionStatus::kDone : SessionStatus::kInterrupted,
                             is_done ? "the stored best was raced again" : result.over);
      return result;
    } catch (...) {
      tools_.log.end_session(tools_.id, SessionStatus::kFailed, caught_message());
      throw;
    }
  }

 private:
  bool is_over() const { return limits_.seconds_left() <= 0; }

  RaceAgain race() {
    RaceAgain result;
    const std::vector<RaceCandidate> raced = best_.is_of_same_task() ? recorded() : recorded_anew();
    std::optional<BestRecord> stored = tools_.log.stored_best(tools_.id, context_.usable_templates());
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (is_over()) return {.over = kTimeWasOver};
      Entrants entrants = entrants_of(stored, raced);
      if (entrants.entries.empty()) return {.measured = entry_of_lost_point(best_.record).measurement};
      Race held = hold_race(tools_, {limits_.seconds_left, {}}, entrants);
      if (held.disturbance == kTimeWasOver) return {.over = kTimeWasOver};
      if (stored && !tools_.space.find_anywhere(stored->point)) held.entries.push_back(entry_of_lost_point(*stored));
      const std::optional<RaceEntry> own = entry_of_best(held, raced);
      if (own) result.measured = own->measurement;
      result.disturbance = held.disturbance;
      if (!held.winner && held.disturbance.empty()) return result;  // nothing is right
      stored = tools_.log.record_race(tools_.id, held, context_.usable_templates());
      if (stored) continue;
      const bool is_replaced = held.disturbance.empty() && held.entries[*held.winner].trial != (own ? own->trial : 0);
      if (is_replaced) result.replaced_by = tools_.log.best(filter_of(context_.key()), context_.usable_templates());
      return result;
    }
    result.disturbance = "other processes replaced the stored best during the race";
    return result;
  }

  /// First the one that the others are compared with, and that keeps its place on a tie: the stored best of the task,
  /// whatever it is by now, or else the one that is revalidated.
  Entrants entrants_of(const std::optional<BestRecord>& stored, const std::vector<RaceCandidate>& raced) const {
    Entrants entrants;
    if (const auto point = stored ? tools_.space.find_anywhere(stored->point) : std::nullopt) {
      entrants.add(stored->trial, *point, kIncumbentRole);
    } else if (const RaceCandidate* own = stored ? nullptr : candidate_of_best(raced)) {
      entrants.add(own->trial, own->point, kIncumbentRole);
    }
    for (const RaceCandidate& each : raced) entrants.add(each.trial, each.point, each.role);
    return entrants;
  }

  /// nullptr where this build does not have the configuration that is revalidated, or it was not measured.
  const RaceCandidate* candidate_of_best(const std::vector<RaceCandidate>& raced) const {
    const auto point = tools_.space.find_anywhere(best_.record.point);
    const auto same = std::ranges::find_if(raced, [&](const RaceCandidate& each) { return each.point == point; });
    return same == raced.end() ? nullptr : &*same;
  }

  /// The trials of the stored best and its runners-up, as far as this build has their configurations, and the default.
  std::vector<RaceCandidate> recorded() const {
    std::vector<RaceCandidate> raced;
    const auto add = [&](const BestRecord& record, const char* role) {
      if (const auto point = tools_.space.find_anywhere(record.point)) raced.push_back({record.trial, *point, role});
    };
    for (const BestRecord& record : contestants()) add(record, "finalist");
    const std::optional<Point> untuned = tools_.space.default_point();
    const std::vector<SessionUnit> units = tools_.log.session_units(context_.key());
    const auto anchored =
        std::find_if(units.rbegin(), units.rend(), [](const SessionUnit& u) { return u.anchor != 0; });
    if (anchored == units.rend() || !untuned) return raced;
    const std::optional<BestRecord> anchor = tools_.log.find_trial(anchored->anchor);
    if (anchor && tools_.space.find_anywhere(anchor->point) == untuned) add(*anchor, "default");
    return raced;
  }

  /// The stored best, and those that came closest to it.
  std::vector<BestRecord> contestants() const {
    std::vector<BestRecord> records{best_.record};
    for (BestRecord& record :
         tools_.log.top(filter_of(best_.record.task), 1 + options_.finalists, context_.usable_templates())) {
      if (record.trial != best_.record.trial) records.push_back(std::move(record));
    }
    return records;
  }

  /// Makes trials of the present task of the default, the stored best and its runners-up, which are trials of another
  /// task, and returns those that were measured.
  std::vector<RaceCandidate> recorded_anew() {
    std::vector<RaceCandidate> wanted;
    if (const auto untuned = tools_.space.default_point()) wanted.push_back({0, *untuned, "default"});
    for (const BestRecord& record : contestants()) {
      const auto point = tools_.space.find_anywhere(record.point);
      if (point && std::ranges::find(wanted, *point, &RaceCandidate::point) == wanted.end())
        wanted.push_back({0, *point});
    }
    if (limits_.on_note) limits_.on_note("what another backend recorded is measured first");
    find_trials(wanted);
    measure(wanted);
    std::erase_if(wanted, [](const RaceCandidate& each) { return each.trial == 0; });
    return wanted;
  }

  /// Sets the trials of points that the present task has.
  void find_trials(std::vector<RaceCandidate>& wanted) const {
    for (const TrialRecord& trial : tools_.log.trials(filter_of(context_.key()))) {
      const auto same = std::ranges::find_if(
          wanted, [&](const RaceCandidate& each) { return tools_.space.find_anywhere(trial.point) == each.point; });
      if (same != wanted.end()) same->trial = trial.code.same_as != 0 ? trial.code.same_as : trial.id;
    }
  }

  /// Records trials of the points that have none. They are timed as in a search.
  void measure(std::vector<RaceCandidate>& wanted) {
    std::vector<Point> points;
    std::vector<ProposalId> proposals;
    const auto add = [&](const Batch& batch) {
      for (std::size_t i = 0; i < batch.points.size(); ++i) {
        const auto point = tools_.space.find_anywhere(batch.points[i]);
        const auto same =
            std::ranges::find_if(wanted, [&](const RaceCandidate& e) { return e.trial == 0 && point == e.point; });
        if (same == wanted.end()) continue;
        points.push_back(*point);
        proposals.push_back(batch.ids[i]);
      }
    };
    while (const std::optional<Batch> left_over = tools_.log.claim_unfinished_batch(tools_.id)) add(*left_over);
    std::vector<Point> fresh;
    for (const RaceCandidate& each : wanted) {
      if (each.trial == 0 && std::ranges::find(points, each.point) == points.end()) fresh.push_back(each.point);
    }
    if (!fresh.empty()) {
      add(tools_.log.commit_batch(tools_.id, tools_.log.next_batch_number(context_.key()), fresh, kRevalidateStrategy));
    }
    if (points.empty()) return;
    const auto over = [this] { return is_over(); };
    const std::vector<BuiltPoint> built = tools_.build(points, Pipeline::kSearch, over);
    if (std::ranges::any_of(built, [](const BuiltPoint& each) { return each.result.is_skipped; })) return;
    SessionTrials trials(tools_.space.default_point());
    const ChunkResult chunk = run_chunk(trials, tools_, built, {}, over);
    std::vector<TrialId> recorded;
    for (std::size_t i = 0; i < points.size(); ++i) {
      Measurement measured = chunk.measurements[i].value_or(Measurement());
      if (was_skipped(measured)) {
        recorded.push_back(0);
        continue;
      }
      measured.compile_ms = built[i].result.compile_ms;
      recorded.push_back(
          tools_.log.record(tools_.id, proposals[i], measured, {built[i].result.object.code_fingerprint, 0}));
      std::ranges::find(wanted, points[i], &RaceCandidate::point)->trial = recorded.back();
    }
    update_references(trials, tools_, chunk, points, built, recorded);
  }

  /// The entry of the configuration that is revalidated.
  std::optional<RaceEntry> entry_of_best(const Race& held, const std::vector<RaceCandidate>& raced) const {
    if (!tools_.space.find_anywhere(best_.record.point)) return entry_of_lost_point(best_.record);
    const RaceCandidate* const own = candidate_of_best(raced);
    if (own == nullptr) return std::nullopt;
    const auto entry = std::ranges::find(held.entries, own->trial, &RaceEntry::trial);
    return entry == held.entries.end() ? std::nullopt : std::optional(*entry);
  }

  const StoredBest& best_;
  const TaskContext& context_;
  const RaceAgainOptions& limits_;
  const SessionOptions options_;
  Tools tools_;
};

}  // namespace

RaceAgain race_again(const StoredBest& best, TuningLog& log, const RaceAgainOptions& options) {
  check(best.context.has_value(), "a best that cannot be built here was to be raced");
  MachineLock lock(timing_lock_name(best.context->target()));
  bool said = false;
  const MachineLock::Hold turn = lock.hold([&] {
    if (!std::exchange(said, true) && options.on_note) options.on_note("another tuner has the machine");
    return options.seconds_left() <= 0;
  });
  if (!turn.is_granted()) return {.over = "another tuner had the machine"};
  return RaceAgainSession(best, log, options).run();
}

}  // namespace nestwright
