#include "report/task_data.h"
#include "lookup/task_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace nestwright::report {
namespace {

/// Whether a slash behind this character begins an absolute path.
bool precedes_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) == 0 &&
         std::string_view("_-.~/)]").find(c) == std::string_view::npos;
}

bool is_of_path(char c) {
  return std::isspace(static_cast<unsigned char>(c)) == 0 &&
         std::string_view("'\"`()[]{}<>|,;:=").find(c) == std::string_view::npos;
}

/// Whether the path names the folder of a user: "/root", "/home/alice", "/Users/alice".
bool is_home(std::string_view path) {
  if (path == "/root") return true;
  for (const std::string_view parent : {"/home/", "/Users/"}) {
    if (path.starts_with(parent)) return path.find('/', parent.size()) == std::string_view::npos;
  }
  return false;
}

}  // namespace

TaskData read_task(const LogReader& reader, const TuningLog& log, const RecordedTask& task) {
  TaskData data;
  data.task = task;
  data.sessions = reader.sessions({.tasks = filter_of(task.key)}).sessions;
  data.races = reader.races(task);
  data.proposals = log.proposals(task.key);
  data.spaces = log.spaces(task.key);
  data.trials = reader.trials(task);
  data.times = comparable_times(data.sessions, data.trials);
  data.best = log.best(filter_of(task.key));
  data.limits = reader.limits(limits_key(task.key.machine, task.key.threads));
  data.flops = task.key.workload.flops;
  return data;
}

double compared_ns(const TaskData& data, std::size_t trial) {
  return is_sound(data.trials, trial) ? data.times.ns[trial] : 0;
}

std::string unit_note(const TaskData& data) {
  std::size_t disturbed = 0, foreign_unit = 0;
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    if (!data.trials.is_timed(i)) continue;
    disturbed += is_sound(data.trials, i) ? 0 : 1;
    foreign_unit += is_sound(data.trials, i) && data.times.ns[i] == 0 ? 1 : 0;
  }
  std::string note;
  if (data.sessions.size() > 1) note += fmt::format(" Times are in the unit of session {}.", data.times.unit);
  if (disturbed > 0) note += fmt::format(" Left out: {} disturbed trials.", disturbed);
  if (foreign_unit > 0)
    note += fmt::format(" Left out: {} trials of sessions that have no unit in common.", foreign_unit);
  return note;
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
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = text[at] == '/' && at + 1 < text.size() && text[at + 1] != '/' && is_of_path(text[at + 1]) &&
                        (at == 0 || precedes_path(text[at - 1]));
    if (!begins) {
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_of_path(text[end])) ++end;
    const std::string_view path = std::string_view(text).substr(at, end - at);
    const std::size_t last = path.find_last_of('/');
    if (is_home(path)) {
      out += "...";
    } else if (last == 0) {
      out += path;
    } else {
      out += fmt::format("...{}", path.substr(last));
    }
    at = end;
  }
  return out;
}

void hide_paths(TaskData& data) {
  const auto hide = [](std::string& text) { text = without_paths(text); };
  for (std::vector<std::string>* texts : {&data.trials.messages, &data.trials.origins, &data.commands}) {
    std::for_each(texts->begin(), texts->end(), hide);
  }
  for (RecordedRace& race : data.races) {
    hide(race.disturbance);
    for (RecordedRace::Entry& entry : race.entries) hide(entry.measurement.message);
  }
  for (ListedSession& session : data.sessions) {
    for (std::string* text : {&session.reason, &session.options, &session.made_by.kernel}) hide(*text);
    std::for_each(session.made_by.plugins.begin(), session.made_by.plugins.end(), hide);
  }
  for (std::string* text : {&data.task.key.machine, &data.task.key.backend, &data.measure_command}) hide(*text);
  if (data.best) hide(data.best->timing.disturbance);
  data.hides_paths = true;
}

}  // namespace nestwright::report
