#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "report/pictures/sections.h"
#include "support/base/format_time.h"

namespace nestwright::report {
namespace {

constexpr std::size_t kMaxLines = 8;  // sessions that are drawn, the latest

/// The best so far of one session.
struct Progress {
  Series by_trial, by_second;
  double trials = 0, seconds = 0;  ///< of the whole session
};

Progress progress_of(const TaskData& data, const ListedSession& session) {
  const TrialColumns& trials = data.trials;
  Progress progress;
  progress.by_trial.name = progress.by_second.name = fmt::format("session {}", session.id);
  progress.by_trial.mark = progress.by_second.mark = Mark::kSteps;
  double best = std::numeric_limits<double>::infinity();
  std::size_t best_trial = 0;
  const auto add = [&](double number, double seconds) {
    for (Series* series : {&progress.by_trial, &progress.by_second}) {
      series->x.push_back(series == &progress.by_trial ? number : seconds);
      series->y.push_back(best);
      series->low.push_back(trials.low_ns[best_trial]);
      series->high.push_back(trials.high_ns[best_trial]);
    }
  };
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials.session[i] != session.id) continue;
    ++progress.trials;
    progress.seconds = std::max(progress.seconds, trials.seconds[i]);
    const bool counts = trials.is_timed(i) && !trials.has(i, kIsDisturbed) && !trials.has(i, kIsCopy);
    if (!counts || trials.median_ns[i] >= best) continue;
    best = trials.median_ns[i];
    best_trial = i;
    add(progress.trials, trials.seconds[i]);
  }
  if (std::isfinite(best)) add(progress.trials, progress.seconds);
  return progress;
}

/// Adds the winner of the session's race, after its last trial.
void add_winner(const TaskData& data, const ListedSession& session, const Progress& progress, Series& by_trial,
                Series& by_second) {
  for (const RecordedRace& race : data.races) {
    if (race.session != session.id || race.winner == 0) continue;
    for (const RecordedRace::Entry& entry : race.entries) {
      if (entry.trial != race.winner) continue;
      const Timing& timing = entry.measurement.timing;
      for (Series* series : {&by_trial, &by_second}) {
        series->x.push_back(series == &by_trial ? progress.trials : progress.seconds);
        series->y.push_back(timing.median_ns);
        series->low.push_back(timing.low_ns);
        series->high.push_back(timing.high_ns);
        series->labels.push_back(fmt::format("trial {} won the race of session {}{}{}", race.winner, session.id,
                                             race.disturbance.empty() ? "" : ", on a disturbed machine",
                                             entry.tied ? ", a tie" : ""));
      }
    }
  }
}

/// The first trial that came within a twentieth of the session's best; absent if nothing was timed.
std::optional<std::size_t> nearly_best(const Progress& progress) {
  constexpr double kNear = 1.05;
  for (std::size_t i = 0; i < progress.by_trial.y.size(); ++i) {
    if (progress.by_trial.y[i] <= kNear * progress.by_trial.y.back()) return i;
  }
  return std::nullopt;
}

std::vector<std::string> session_row(const TaskData& data, const ListedSession& session, const Progress& progress) {
  std::vector<std::string> row{fmt::to_string(session.id), session.strategy, session.seed,
                               fmt::to_string(progress.trials), fmt::format("{:.1f} s", progress.seconds)};
  const std::optional<std::size_t> near = nearly_best(progress);
  row.push_back(near ? format_time(progress.by_trial.y.back()) : "");
  row.push_back(near ? fmt::to_string(progress.by_trial.x[*near]) : "");
  row.push_back(near ? fmt::format("{:.1f} s", progress.by_second.x[*near]) : "");
  std::string race = "none";
  for (const RecordedRace& of : data.races) {
    if (of.session != session.id) continue;
    race = of.disturbance.empty() ? fmt::format("won by trial {}", of.winner) : "disturbed";
  }
  row.push_back(race);
  return row;
}

}  // namespace

Section search_section(const TaskData& data) {
  Section section{"Search",
                  "The best time so far of each session, with the interval of that trial. A trial that was "
                  "disturbed, ended early or took another one's measurement is not a best. Times of two "
                  "sessions are not comparable: only races decide between them.",
                  {},
                  {},
                  {},
                  false};
  Chart by_trial{"Best so far by trials",
                 "",
                 {"trials of the session", false, false, {}},
                 {"time", true, true, {}},
                 {},
                 {},
                 false};
  Chart by_second{"Best so far by seconds",
                  "",
                  {"seconds since the session began", false, false, {}},
                  {"time", true, true, {}},
                  {},
                  {},
                  false};
  Series raced{"winner of the race", Mark::kPoints, {}, {}, {}, {}, {}};
  Series raced_by_second = raced;
  Table sessions{"Sessions side by side",
                 "The last columns: what it took to come within a twentieth of the session's own best, and its race.",
                 {"session", "strategy", "seed", "trials", "took", "best", "near by trial", "near after", "race"},
                 {}};
  const std::size_t first = data.sessions.size() > kMaxLines ? data.sessions.size() - kMaxLines : 0;
  if (first > 0)
    section.note += fmt::format(" Of {} sessions, the last {} are drawn.", data.sessions.size(), kMaxLines);
  for (std::size_t s = first; s < data.sessions.size(); ++s) {
    Progress progress = progress_of(data, data.sessions[s]);
    add_winner(data, data.sessions[s], progress, raced, raced_by_second);
    sessions.rows.push_back(session_row(data, data.sessions[s], progress));
    if (progress.by_trial.x.empty()) continue;
    by_trial.series.push_back(std::move(progress.by_trial));
    by_second.series.push_back(std::move(progress.by_second));
  }
  if (by_trial.series.empty()) return {};
  if (!raced.x.empty()) {
    by_trial.series.push_back(std::move(raced));
    by_second.series.push_back(std::move(raced_by_second));
  }
  by_trial.trials.push_back({"every timed trial", "number", "time", 0});
  by_second.trials.push_back({"every timed trial", "seconds", "time", 0});
  section.charts = {std::move(by_trial), std::move(by_second)};
  if (sessions.rows.size() > 1) section.tables.push_back(std::move(sessions));
  return section;
}

Section trial_section(const TaskData& data) {
  Section section{"Trials",
                  "Click on a heading to sort, on a row for the command that repeats it. Disturbed: the machine was, "
                  "and the time does not count. Same code: the measurement is that of the trial with equal machine "
                  "code. Part: only the first iterations of the outer loops were timed.",
                  {},
                  {},
                  {},
                  data.trials.size() > 0};
  return section;
}

}  // namespace nestwright::report
