#include "report/task_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>

namespace nestwright::report {
namespace {

/// Keeps the rows whose numbers are given, in their order.
template <class Column>
void keep_rows(Column& column, const std::vector<std::size_t>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) column[i] = column[rows[i]];
  column.resize(rows.size());
}

/// Keeps the fastest half of `most` trials, and the latest others.
void thin(TrialColumns& trials, std::size_t most) {
  if (trials.size() <= most) return;
  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), 0);
  const auto time = [&](std::size_t i) { return trials.is_timed(i) ? trials.median_ns[i] : INFINITY; };
  const auto half = order.begin() + static_cast<std::ptrdiff_t>(most / 2);
  std::nth_element(order.begin(), half, order.end(), [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
  std::sort(half, order.end(), std::greater<>());
  order.resize(most);
  std::sort(order.begin(), order.end());
  keep_rows(trials.id, order);
  keep_rows(trials.session, order);
  keep_rows(trials.outcome, order);
  keep_rows(trials.flags, order);
  for (auto* column : {&trials.median_ns, &trials.low_ns, &trials.high_ns, &trials.seconds}) keep_rows(*column, order);
  for (auto* column : {&trials.space, &trials.message, &trials.origin}) keep_rows(*column, order);
  for (KnobColumn& column : trials.knobs) keep_rows(column.value, order);
}

}  // namespace

TaskData read_task(const LogReader& reader, const TuningLog& log, const RecordedTask& task, std::size_t max_trials) {
  TaskData data;
  data.task = task;
  data.sessions = list_sessions(log.path(), {.tasks = filter_of(task.key)}).sessions;
  data.races = reader.races(task);
  data.proposals = log.proposals(task.key);
  data.spaces = log.spaces(task.key);
  data.trials = reader.trials(task);
  data.recorded = static_cast<std::int64_t>(data.trials.size());
  thin(data.trials, max_trials);
  data.best = log.best(filter_of(task.key));
  data.limits = reader.limits(fmt::format("{}; threads {}", task.key.machine, task.key.threads));
  data.flops = task.key.workload.flops;
  return data;
}

double default_ns(const TaskData& data) {
  if (!data.best) return 0;
  for (auto race = data.races.rbegin(); race != data.races.rend(); ++race) {
    if (race->winner != data.best->trial) continue;
    for (const RecordedRace::Entry& entry : race->entries) {
      if (entry.role == "default" && entry.measurement.timing.median_ns > 0) return entry.measurement.timing.median_ns;
    }
  }
  for (const ListedSession& session : data.sessions) {
    if (session.id == data.best->session) return session.anchor_ns;
  }
  return 0;
}

std::string without_paths(const std::string& text) {
  // An absolute path of at least two names; the last one is kept.
  static const std::regex kPath(R"((^|[\s'"(=,;])(/[^\s'"(),;:/]+)+/)");
  return std::regex_replace(text, kPath, "$1.../");
}

void hide_paths(TaskData& data) {
  for (auto* texts : {&data.trials.messages, &data.trials.origins, &data.commands}) {
    for (std::string& text : *texts) text = without_paths(text);
  }
  for (RecordedRace& race : data.races) {
    for (RecordedRace::Entry& entry : race.entries) {
      entry.measurement.message = without_paths(entry.measurement.message);
    }
  }
  for (ListedSession& session : data.sessions) session.reason = without_paths(session.reason);
  data.measure_command = without_paths(data.measure_command);
}

}  // namespace nestwright::report
