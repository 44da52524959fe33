#include "search/revalidation/revalidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "nestwright/error.h"
#include "search/budget/task_run.h"
#include "search/trials/session_builder.h"
#include "support/base/caught_message.h"
#include "support/base/clock.h"
#include "support/base/utc_time.h"
#include "templates/framework/template/memory_bound.h"

namespace nestwright {
namespace {

constexpr double kOverrun = 0.02;  // share of the budget by which a kernel that runs when it is over may exceed it
constexpr double kGrace_s = 0.5;   // in addition

/// The time of a run, which an interruption shortens.
class RunTime {
 public:
  explicit RunTime(const RevalidationOptions& options) : options_(options), start_ns_(steady_clock().now_ns()) {}

  double seconds() const { return 1e-9 * static_cast<double>(steady_clock().now_ns() - start_ns_); }
  bool is_interrupted() const { return options_.interrupt != nullptr && *options_.interrupt; }
  double left() const {
    if (is_interrupted()) return 0;
    return options_.seconds > 0 ? options_.seconds - seconds() : std::numeric_limits<double>::infinity();
  }
  double hard_left() {
    if (is_interrupted() && interrupted_at_s_ < 0) interrupted_at_s_ = seconds();
    if (interrupted_at_s_ >= 0) return interrupted_at_s_ + kInterruptedFinish_s - seconds();
    return left() + kOverrun * options_.seconds + kGrace_s;
  }
  /// Why there is no time for another race, the longest of which took so many seconds.
  std::string why_too_short(double longest_s) const {
    const double left_s = left();
    if (left_s <= 0) return why_over();
    return fmt::format("only {:.2g} of {:g} seconds were left, and the longest race took {:.2g}", left_s,
                       options_.seconds, longest_s);
  }
  std::string why_over() const {
    return is_interrupted() ? "the run was interrupted" : fmt::format("{:g} seconds were over", options_.seconds);
  }

 private:
  const RevalidationOptions& options_;
  const std::int64_t start_ns_;
  double interrupted_at_s_ = -1;  ///< negative: it was not
};

RevalidatedBest with_verdict(RevalidationVerdict verdict, std::string detail) {
  return {.verdict = verdict, .detail = std::move(detail)};
}

ComparedSentinels sentinels_of(const TaskContext& context) {
  if (context.target().device != DeviceKind::kCpu) return ComparedSentinels::kNone;
  const Definition& definition = context.definition();
  return is_memory_bound(definition.flops, definition.bytes) ? ComparedSentinels::kFmaAndWalk : ComparedSentinels::kFma;
}

/// Whether a disturbed machine may have caused the outcome: a process was given too little time or memory.
bool may_be_of_disturbance(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompileError:
    case Outcome::kLaunchError:
    case Outcome::kTimeout:
    case Outcome::kCrash:
      return true;
    case Outcome::kOk:
    case Outcome::kInvalidConfig:
    case Outcome::kWrongResult:
      return false;
  }
  throw InternalError("internal error: an outcome that is none of the known ones");
}

/// The verdict on a stored configuration that is right and was timed on a quiet machine.
void compare(const StoredBest& best, double tolerance, RevalidatedBest& row) {
  if (!best.was) {
    row.verdict = RevalidationVerdict::kNew;
    row.detail = "the baseline has no time of it that was decided";
    return;
  }
  row.comparison = compare_times(*best.was, *row.now, tolerance, sentinels_of(*best.context));
  row.verdict = RevalidationVerdict::kUndecided;
  if (!best.why_not_compared.empty()) {
    row.detail = best.why_not_compared;
    return;
  }
  switch (row.comparison.change) {
    case TimeChange::kAsBefore:
      row.verdict = RevalidationVerdict::kAsBefore;
      return;
    case TimeChange::kFaster:
      row.verdict = RevalidationVerdict::kFaster;
      return;
    case TimeChange::kSlower:
      row.verdict = RevalidationVerdict::kSlower;
      return;
    case TimeChange::kNotComparable:
      row.detail = row.comparison.obstacle;
      return;
  }
}

class Revalidation {
 public:
  Revalidation(TuningLog& log, const RevalidationOptions& options) : log_(log), options_(options), time_(options) {}

  RevalidatedBest row_of(const StoredBest& best, std::size_t i) {
    if (!best.obstacle.empty()) return with_verdict(RevalidationVerdict::kSkipped, best.obstacle);
    if (time_.left() <= kMinShare * longest_s_) {
      return with_verdict(RevalidationVerdict::kNotReached, time_.why_too_short(longest_s_));
    }
    const double start_s = time_.seconds();
    RevalidatedBest row;
    try {
      row = judge(best, race(best, i), options_.tolerance, utc_now_text());
      if (row.verdict == RevalidationVerdict::kNotReached && time_.left() <= 0) row.detail = time_.why_over();
    } catch (const LogError&) {
      throw;
    } catch (...) {
      row = with_verdict(RevalidationVerdict::kUndecided, "its race failed");
      row.failure = caught_message();
    }
    row.seconds = time_.seconds() - start_s;
    longest_s_ = std::max(longest_s_, row.seconds);
    return row;
  }

 private:
  // A race that has less than this share of the time of the longest one so far would not be decided.
  static constexpr double kMinShare = 0.5;

  RaceAgain race(const StoredBest& best, std::size_t i) {
    RaceAgainOptions options{.effort = options_.effort};
    std::shared_ptr<Builder>& builder = builders_[best.context->key().target];
    if (!builder) builder = make_session_builder(best.context->target(), {});
    options.builder = builder;
    options.seconds_left = [this] { return time_.left(); };
    options.hard_seconds_left = [this] { return time_.hard_left(); };
    if (options_.on_note) options.on_note = [this, i](const std::string& note) { options_.on_note(i, note); };
    return race_again(best, log_, options);
  }

  TuningLog& log_;
  const RevalidationOptions& options_;
  RunTime time_;
  std::map<std::string, std::shared_ptr<Builder>> builders_;  ///< by target
  double longest_s_ = 0;                                      ///< of the races so far
};

}  // namespace

const char* verdict_name(RevalidationVerdict verdict) {
  switch (verdict) {
    case RevalidationVerdict::kAsBefore:
      return "as_before";
    case RevalidationVerdict::kFaster:
      return "faster";
    case RevalidationVerdict::kSlower:
      return "slower";
    case RevalidationVerdict::kWrong:
      return "wrong";
    case RevalidationVerdict::kFails:
      return "fails";
    case RevalidationVerdict::kUndecided:
      return "undecided";
    case RevalidationVerdict::kNew:
      return "new";
    case RevalidationVerdict::kSkipped:
      return "skipped";
    case RevalidationVerdict::kNotReached:
      return "not_reached";
  }
  throw InternalError("internal error: a verdict that is none of the known ones");
}

bool is_regression(RevalidationVerdict verdict) {
  return verdict == RevalidationVerdict::kSlower || verdict == RevalidationVerdict::kWrong ||
         verdict == RevalidationVerdict::kFails;
}

bool is_undecided(RevalidationVerdict verdict) {
  return verdict == RevalidationVerdict::kUndecided || verdict == RevalidationVerdict::kNotReached;
}

RevalidatedBest judge(const StoredBest& best, const RaceAgain& race, double tolerance, const std::string& recorded_at) {
  if (!race.over.empty()) return with_verdict(RevalidationVerdict::kNotReached, race.over);
  if (!race.measured) {
    return with_verdict(RevalidationVerdict::kUndecided,
                        race.disturbance.empty() ? "the race did not measure it" : race.disturbance);
  }
  const Measurement& m = *race.measured;
  const std::string& disturbance = race.disturbance.empty() ? m.timing.disturbance : race.disturbance;
  RevalidatedBest row;
  row.replaced_by = race.replaced_by;
  if (m.outcome != Outcome::kOk) {
    const bool is_wrong = m.outcome == Outcome::kWrongResult;
    row.verdict = is_wrong ? RevalidationVerdict::kWrong : RevalidationVerdict::kFails;
    row.detail = is_wrong ? m.message : fmt::format("{}: {}", outcome_name(m.outcome), m.message);
    if (!disturbance.empty() && may_be_of_disturbance(m.outcome)) {
      row.verdict = RevalidationVerdict::kUndecided;
      row.detail += fmt::format(", while the machine was disturbed: {}", disturbance);
    }
    return row;
  }
  if (m.timing.median_ns > 0) row.now = figure_of(m.timing, recorded_at);
  if (!disturbance.empty() || !row.now) {
    row.verdict = RevalidationVerdict::kUndecided;
    row.detail = disturbance.empty() ? "it was not timed" : disturbance;
    return row;
  }
  compare(best, tolerance, row);
  return row;
}

std::vector<RevalidatedBest> revalidate(std::span<const StoredBest> bests, TuningLog& log,
                                        const RevalidationOptions& options) {
  Revalidation revalidation(log, options);
  std::vector<RevalidatedBest> rows;
  for (std::size_t i = 0; i < bests.size(); ++i) {
    rows.push_back(revalidation.row_of(bests[i], i));
    if (options.on_verdict) options.on_verdict(i, rows.back());
  }
  return rows;
}

}  // namespace nestwright
