#include "search/budget/shared_budget.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "nestwright/error.h"
#include "search/budget/expected_times.h"
#include "search/budget/task_allocator.h"
#include "search/budget/whole_gain.h"
#include "support/base/caught_message.h"

namespace nestwright {
namespace {

constexpr const char* kBudgetOver = "the shared budget is over";
constexpr double kOverrun = 0.01;   // share of the budget by which the final races may exceed it
constexpr double kEarlyRace = 1.5;  // most time of a race before the budget is over, relative to its estimate

template <class T>
void keep_newer(T& old, const T& newer) {
  if (newer) old = newer;
}

/// Adds the result of a later session of the same task.
void add(SessionResult& all, const SessionResult& next) {
  if (next.seconds_to_best > 0) all.seconds_to_best = all.seconds + next.seconds_to_best;
  all.trials += next.trials;
  all.same_code += next.same_code;
  all.disturbed += next.disturbed;
  all.remeasured += next.remeasured;
  all.race_disturbance = next.race_disturbance;
  for (const auto& [outcome, count] : next.outcomes) all.outcomes[outcome] += count;
  if (all.first_failure.empty()) all.first_failure = next.first_failure;
  all.seconds += next.seconds;
  all.stop_reason = next.stop_reason;
  all.interrupted = all.interrupted || next.interrupted;
  keep_newer(all.best, next.best);
  keep_newer(all.default_timing, next.default_timing);
  keep_newer(all.model_audit, next.model_audit);
  all.times += next.times;
}

class Sharing {
 public:
  Sharing(const std::vector<SharedTask>& tasks, const SharedBudget& budget, Clock& clock,
          const std::atomic<bool>* interrupt)
      : tasks_(tasks), budget_(budget), clock_(clock), interrupt_(interrupt), start_ns_(clock.now_ns()) {
    for (const SharedTask& task : tasks) {
      states_.push_back({.trials = task.earlier_trials,
                         .has_starting_points = task.earlier_trials < std::max<std::int64_t>(task.seeds, 1),
                         .seconds = task.earlier_seconds});
      estimated_ns_.push_back(task.estimated_ns);
      best_ns_.push_back(task.known_ns);
    }
    update_weights();
    runs_.resize(tasks.size());
    outcomes_.resize(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) outcomes_[i].result.earlier_trials = tasks[i].earlier_trials;
  }

  std::vector<TaskOutcome> run(const std::function<void(const SharedProgress&)>& progress) {
    while (!is_over()) {
      const auto next = next_task(states_);
      if (!next) break;
      turn(*next);
      if (progress) progress(progress_of(*next));
      if (budget_.until_gain > 0) end_by_gain();
    }
    std::size_t races_left = open_runs();
    const double interrupted_s = kInterruptedFinish_s / static_cast<double>(std::max<std::size_t>(races_left, 1));
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const bool was_open = states_[i].open;
      if (runs_[i]) {
        if (progress) progress(progress_of(i, races_left--));
        close(i, share_of_rest(i), interrupted_s);
      }
      if (was_open && outcomes_[i].failure.empty())
        outcomes_[i].result.stop_reason = is_interrupted() ? "interrupted" : !end_.empty() ? end_ : kBudgetOver;
      outcomes_[i].is_tuned = is_tuned(states_[i]);
    }
    return std::move(outcomes_);
  }

 private:
  bool is_interrupted() const { return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed); }
  double elapsed_s() const { return static_cast<double>(clock_.now_ns() - start_ns_) * 1e-9; }

  std::size_t open_runs() const {
    return static_cast<std::size_t>(
        std::count_if(runs_.begin(), runs_.end(), [](const auto& run) { return run != nullptr; }));
  }

  /// The seconds that the race of run `i`, the first that is open, may take so that all others have their share.
  double share_of_rest(std::size_t i) const {
    if (budget_.seconds == 0) return std::numeric_limits<double>::infinity();
    double all = 0;
    for (const auto& run : runs_) {
      if (run) all += run->race_seconds();
    }
    const double left = std::max(0.0, (1 + kOverrun) * budget_.seconds - elapsed_s());
    return all > 0 ? left * runs_[i]->race_seconds() / all : left;
  }

  /// Seconds until every open run must be finished. Requires a budget in seconds.
  double left_s() const {
    double left = budget_.seconds - elapsed_s();
    for (const auto& run : runs_) {
      if (run) left -= run->race_seconds();
    }
    return left;
  }

  bool is_over() const {
    return is_interrupted() || !end_.empty() || (budget_.trials > 0 && trials_ >= budget_.trials) ||
           (budget_.seconds > 0 && left_s() <= 0);
  }

  void turn(std::size_t i) {
    guarded(i, [&] {
      if (!runs_[i]) open(i);
      TaskRun& run = *runs_[i];
      const std::int64_t before = run.so_far().trials;
      run.limit(budget_.trials > 0 ? budget_.trials - trials_ : 0,
                budget_.seconds > 0 ? std::max(left_s() + run.race_seconds(), 1e-3) : 0);
      const bool goes_on = run.step();
      const std::int64_t done = run.so_far().trials - before;
      trials_ += done;
      states_[i].trials += done;
      note_turn(i);
      if (goes_on || is_over()) return;
      states_[i].open = false;
      close_early(i);
    });
  }

  void open(std::size_t i) {
    make_room(i);
    outcomes_[i].started = true;
    runs_[i] = tasks_[i].open();
  }

  /// Finishes the sessions with the smallest expected gain until the task fits beside the others.
  void make_room(std::size_t i) {
    for (;;) {
      double bytes = tasks_[i].bytes;
      std::size_t sessions = 1;
      std::optional<std::size_t> least;
      for (std::size_t other = 0; other < runs_.size(); ++other) {
        if (!runs_[other]) continue;
        bytes += tasks_[other].bytes;
        ++sessions;
        if (!least || expected_gain(states_[other]) < expected_gain(states_[*least])) least = other;
      }
      const bool has_memory = budget_.memory_bytes == 0 || bytes <= budget_.memory_bytes;
      const bool has_room = budget_.open_sessions == 0 || sessions <= budget_.open_sessions;
      if ((has_memory && has_room) || !least) return;
      close_early(*least);
    }
  }

  /// Closes a run while others go on searching.
  void close_early(std::size_t i) {
    const double race_s = runs_[i]->race_seconds();
    const double most = budget_.seconds > 0 ? std::min(kEarlyRace * race_s, left_s() + race_s)
                                            : std::numeric_limits<double>::infinity();
    close(i, most, kInterruptedFinish_s);
  }

  void close(std::size_t i, double seconds, double interrupted_s) {
    guarded(i, [&] {
      add(outcomes_[i].result, runs_[i]->finish_within(seconds, interrupted_s));
      runs_[i].reset();
    });
  }

  void note_turn(std::size_t i) {
    const TaskRun& run = *runs_[i];
    TaskState& state = states_[i];
    state.seconds = tasks_[i].earlier_seconds + outcomes_[i].result.seconds + run.seconds();
    state.turns.push_back({state.seconds, run.best_ns()});
    if (const auto& outlook = run.outlook()) {
      // Points that are transferred later are no reason to come before other tasks again.
      state.has_starting_points = state.has_starting_points && outlook->has_starting_points;
      state.roofline_share = outlook->roofline_share;
    }
    state.remaining_gain = run.remaining_gain();
    if (run.best_ns() > 0) best_ns_[i] = run.best_ns();
    update_weights();
  }

  void update_weights() {
    times_ns_ = expected_times(estimated_ns_, best_ns_);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      states_[i].weight = tasks_[i].weight * (budget_.objective == ListObjective::kTotalTime ? times_ns_[i] : 1);
    }
  }

  static bool is_tuned(const TaskState& task) { return task.trials > 0 && (!task.has_starting_points || !task.open); }

  /// Whether the gain of the task can be told: it has a best, and tried its starting points.
  bool may_end(std::size_t i) const { return best_ns_[i] > 0 && !states_[i].has_starting_points; }

  /// Ends the run where the whole is expected to gain little, or else the tasks of which the whole gains little.
  void end_by_gain() {
    bool all_may_end = true;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!states_[i].open) continue;
      if (states_[i].trials == 0) return;  // what the others weigh beside it is not known
      all_may_end = all_may_end && may_end(i);
    }
    const double limit = budget_.until_gain;
    if (const double gain = whole_gain(states_); all_may_end && gain < limit) {
      end_ = fmt::format("as much time again is expected to gain {:.2g}% of the whole, less than {:g}%", 100 * gain,
                         100 * limit);
      return;
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const double part = part_of_whole_gain(states_, i);
      if (!states_[i].open || !may_end(i) || part >= limit / static_cast<double>(states_.size())) continue;
      if (runs_[i]) close_early(i);
      states_[i].open = false;
      if (!outcomes_[i].failure.empty()) continue;
      outcomes_[i].result.stop_reason =
          fmt::format("as much time again is expected to gain {:.2g}% of the whole, less than an equal part of {:g}%",
                      100 * part, 100 * limit);
    }
  }

  /// A failure ends its task only, except for LogError.
  template <class Function>
  void guarded(std::size_t i, Function&& function) {
    try {
      function();
    } catch (const LogError&) {
      throw;
    } catch (...) {
      if (runs_[i]) add(outcomes_[i].result, runs_[i]->so_far());
      runs_[i].reset();
      states_[i].open = false;
      outcomes_[i].failure = caught_message();
      outcomes_[i].result.stop_reason = "failed";
    }
  }

  SharedProgress progress_of(std::size_t i, std::size_t races_left = 0) const {
    SharedProgress p{.task = i, .trials = trials_, .seconds = elapsed_s(), .races_left = races_left};
    if (budget_.seconds > 0) p.seconds_left = std::max(0.0, budget_.seconds - p.seconds);
    const auto count = [&](const SessionResult& result) {
      for (const auto& [outcome, number] : result.outcomes) p.outcomes[outcome] += number;
    };
    for (const TaskOutcome& outcome : outcomes_) count(outcome.result);
    for (const auto& run : runs_) {
      if (run) count(run->so_far());
    }
    if (!states_[i].turns.empty()) p.best_ns = states_[i].turns.back().best_ns;
    p.is_timed = true;
    double tuned_ns = 0;
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      if (tasks_[task].is_alternative) continue;
      const double ns = tasks_[task].weight * times_ns_[task];
      p.whole_ns += ns;
      if (is_tuned(states_[task])) tuned_ns += ns;
      p.is_timed = p.is_timed && best_ns_[task] > 0;
    }
    p.tuned_share = p.whole_ns > 0 ? tuned_ns / p.whole_ns : 0;
    return p;
  }

  const std::vector<SharedTask>& tasks_;
  const SharedBudget budget_;
  Clock& clock_;
  const std::atomic<bool>* interrupt_;
  const std::int64_t start_ns_;
  std::int64_t trials_ = 0;
  std::string end_;  ///< why the run is over before its budget is; empty: it is not
  std::vector<double> estimated_ns_, best_ns_, times_ns_;  ///< of each task; best_ns_ is 0 where there is none
  std::vector<TaskState> states_;
  std::vector<std::unique_ptr<TaskRun>> runs_;
  std::vector<TaskOutcome> outcomes_;
};

}  // namespace

std::vector<TaskOutcome> share_budget(const std::vector<SharedTask>& tasks, const SharedBudget& budget, Clock& clock,
                                      const std::atomic<bool>* interrupt,
                                      const std::function<void(const SharedProgress&)>& progress) {
  return Sharing(tasks, budget, clock, interrupt).run(progress);
}

}  // namespace nestwright
