#include "report/trial_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace nestwright::report {
namespace {

using Value = nlohmann::ordered_json;

/// In quotes where the text needs them.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string flags_text(const TrialColumns& trials, std::size_t i) {
  std::string text;
  const auto add = [&](TrialFlag flag, const char* name) {
    if (trials.has(i, flag)) text += (text.empty() ? "" : " ") + std::string(name);
  };
  add(kIsVerified, "verified");
  add(kEndedEarly, "ended_early");
  add(kIsDisturbed, "disturbed");
  add(kIsCopy, "same_code");
  add(kIsPart, "part");
  return text;
}

std::string number(double ns) { return ns > 0 ? fmt::format("{:.7g}", ns) : ""; }

Value timing_value(const Timing& timing) {
  if (timing.median_ns <= 0) return nullptr;
  return {{"median", timing.median_ns}, {"low", timing.low_ns}, {"high", timing.high_ns}};
}

Value races_value(const std::vector<RecordedRace>& races) {
  Value list = Value::array();
  for (const RecordedRace& race : races) {
    Value entries = Value::array();
    for (const RecordedRace::Entry& entry : race.entries) {
      entries.push_back({{"trial", entry.trial},
                         {"role", entry.role},
                         {"tied", entry.tied},
                         {"outcome", outcome_name(entry.measurement.outcome)},
                         {"time_ns", timing_value(entry.measurement.timing)},
                         {"process_medians_ns", entry.process_medians_ns},
                         {"template", entry.point.template_name},
                         {"config_text", entry.point.config.str()}});
    }
    list.push_back({{"session", race.session},
                    {"recorded_at", race.recorded_at},
                    {"disturbance", race.disturbance},
                    {"winner", race.winner == 0 ? Value() : Value(race.winner)},
                    {"entries", entries}});
  }
  return list;
}

Value trials_value(const TrialColumns& trials) {
  Value outcomes = Value::array(), flags = Value::array(), templates = Value::array(), configs = Value::array(),
        origins = Value::array(), messages = Value::array();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    outcomes.push_back(outcome_name(static_cast<Outcome>(trials.outcome[i])));
    flags.push_back(flags_text(trials, i));
    templates.push_back(trials.spaces[trials.space[i]].name);
    configs.push_back(trials.config(i));
    origins.push_back(trials.origins[trials.origin[i]]);
    messages.push_back(trials.messages[trials.message[i]]);
  }
  return {{"trial", trials.id},
          {"session", trials.session},
          {"seconds", trials.seconds},
          {"outcome", outcomes},
          {"flags", flags},
          {"median_ns", trials.median_ns},
          {"low_ns", trials.low_ns},
          {"high_ns", trials.high_ns},
          {"template", templates},
          {"config_text", configs},
          {"origin", origins},
          {"message", messages}};
}

}  // namespace

std::string trials_csv(const std::vector<TaskData>& tasks) {
  std::string text =
      "workload,target,caches,machine,trial,session,seconds,outcome,flags,median_ns,low_ns,high_ns,template,config,"
      "origin,message\r\n";
  for (const TaskData& data : tasks) {
    const TaskKey& key = data.task.key;
    const TrialColumns& trials = data.trials;
    const std::string task =
        fmt::format("{},{},{},{}", cell(key.workload.text), cell(key.target), key.cache, cell(key.machine));
    for (std::size_t i = 0; i < trials.size(); ++i) {
      text += fmt::format("{},{},{},{:.3f},{},{},{},{},{},{},{},{},{}\r\n", task, trials.id[i], trials.session[i],
                          trials.seconds[i], outcome_name(static_cast<Outcome>(trials.outcome[i])),
                          flags_text(trials, i), number(trials.median_ns[i]), number(trials.low_ns[i]),
                          number(trials.high_ns[i]), cell(trials.spaces[trials.space[i]].name), cell(trials.config(i)),
                          cell(trials.origins[trials.origin[i]]), cell(trials.messages[trials.message[i]]));
    }
  }
  return text;
}

std::string trials_json(const std::vector<TaskData>& tasks) {
  Value list = Value::array();
  for (const TaskData& data : tasks) {
    const TaskKey& key = data.task.key;
    Value sessions = Value::array();
    for (const ListedSession& session : data.sessions) {
      sessions.push_back({{"session", session.id},
                          {"started_at", session.started_at},
                          {"ended_at", session.ended_at},
                          {"status", session.status},
                          {"reason", session.reason},
                          {"strategy", session.strategy},
                          {"cost_model", session.cost_model},
                          {"seed", session.seed},
                          {"trials", session.trials},
                          {"drift", session.drift}});
    }
    Value best = nullptr;
    if (data.best) {
      best = {{"trial", data.best->trial},
              {"source", best_source_name(data.best->source)},
              {"time_ns", timing_value(data.best->timing)},
              {"template", data.best->point.template_name},
              {"config_text", data.best->point.config.str()}};
    }
    list.push_back({{"name", data.name},
                    {"workload", key.workload.text},
                    {"source", key.workload.source},
                    {"target", key.target},
                    {"caches", key.cache},
                    {"machine", key.machine},
                    {"backend", key.backend},
                    {"flops", data.flops},
                    {"best", best},
                    {"sessions", sessions},
                    {"races", races_value(data.races)},
                    {"trials", trials_value(data.trials)}});
  }
  return list.dump(-1, ' ', false, Value::error_handler_t::replace) + "\n";
}

}  // namespace nestwright::report
