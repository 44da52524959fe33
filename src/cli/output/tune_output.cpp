#include "cli/output/tune_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/progress.h"
#include "cli/output/throughput.h"
#include "cost_model/model_audit.h"
#include "lookup/task_key.h"
#include "target/description/host.h"
#include "target/measured/peak.h"

namespace nestwright::cli {
namespace {

Json times_json(const StageTimes& t) {
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  return {{"start_up", seconds(t.start_up)}, {"propose", seconds(t.propose)}, {"lower", seconds(t.lower)},
          {"features", seconds(t.features)}, {"compile", seconds(t.compile)}, {"check", seconds(t.check)},
          {"measure", seconds(t.measure)},   {"train", seconds(t.train)},     {"log", seconds(t.log)},
          {"race", seconds(t.race)}};
}

/// Says why the task ended and what went wrong.
std::string remarks(const TaskOutcome& outcome) {
  const SessionResult& result = outcome.result;
  if (!outcome.failure.empty()) return "failed: " + outcome.failure;
  if (!outcome.started) return "not begun: " + result.stop_reason;
  std::string text = result.stop_reason;
  std::map<Outcome, std::int64_t> bad = result.outcomes;
  bad.erase(Outcome::kOk);
  if (!bad.empty()) text += "; " + outcomes_text(bad);
  if (const std::string disturbed = disturbance_text(result); !disturbed.empty()) text += "; " + disturbed;
  return text;
}

}  // namespace

std::string disturbance_text(const SessionResult& result) {
  std::string text;
  if (const std::int64_t left = result.disturbed - result.remeasured; left > 0) {
    text =
        fmt::format("{} trials were timed on a disturbed machine and do not count until they are measured again", left);
  }
  if (!result.race_disturbance.empty()) {
    text += fmt::format("{}the final race was disturbed ({}) and replaced nothing: run again when the machine is quiet",
                        text.empty() ? "" : "; ", result.race_disturbance);
  }
  if (result.best && result.best->source == BestSource::kDisturbed) {
    text += fmt::format("{}the time of the answer is rough: the next run measures it again", text.empty() ? "" : "; ");
  }
  return text;
}

std::optional<double> ratio_to_default(const SessionResult& result) {
  if (!result.default_timing || !result.best) return std::nullopt;
  return result.default_timing->median_ns / result.best->timing.median_ns;
}

double measure_peak(const Target& target) {
  if (target.device != DeviceKind::kCpu) return 0;
  return measure_fma_peak(target.threads);
}

double peak_of(const Task& task, double float32_peak_gflops) {
  return float32_peak_gflops == 0
             ? 0
             : float32_peak_gflops * measure_peak_scale(task.workload.definition->args.front().dtype());
}

double measure_read_rate(const Target& target, double bytes) {
  if (target.device != DeviceKind::kCpu) return 0;
  // More bytes are read from memory at the same rate, and take long to provide.
  constexpr double kMinBytes = 4096, kMaxBytes = 256 << 20, kSeconds = 0.1;
  const int threads = std::min(target.threads, host_threads());
  return measure_read_bandwidth(static_cast<std::int64_t>(std::clamp(bytes / threads, kMinBytes, kMaxBytes)), kSeconds,
                                threads);
}

double trials_per_second(std::int64_t trials, double seconds) {
  return seconds > 0 ? static_cast<double>(trials) / seconds : 0;
}

Json tune_json(const SessionResult& result, const Task& task, double peak_gflops) {
  const std::string workload = task.workload.str();
  Json json = {{"workload", workload}, {"target", task.target.str()}, {"caches", caches_of(task)}};
  if (result.best) json = record_json(*result.best, task.workload);
  if (result.best && peak_gflops > 0) {
    json["peak_gflops"] = peak_gflops;
    json["share_of_peak"] = result.best->gflops() / peak_gflops;
  }
  if (const auto ratio = ratio_to_default(result)) json["ratio_to_default"] = *ratio;
  json["seconds"] = result.seconds;
  json["trials_this_run"] = result.trials;
  json["trials_same_code"] = result.same_code;
  json["trials_earlier"] = result.earlier_trials;
  json["trials_per_second"] = trials_per_second(result.trials, result.seconds);
  Json outcomes = Json::object();
  for (const auto& [outcome, count] : result.outcomes) outcomes[outcome_name(outcome)] = count;
  json["outcomes"] = std::move(outcomes);
  json["stopped"] = result.stop_reason;
  json["trials_disturbed"] = result.disturbed;
  json["trials_measured_again"] = result.remeasured;
  if (!result.race_disturbance.empty()) json["race_disturbance"] = result.race_disturbance;
  json["interrupted"] = result.interrupted;
  json["seconds_to_best"] = result.seconds_to_best;
  json["stage_seconds"] = times_json(result.times);
  if (const auto& audit = result.model_audit) {
    json["model_audit"] = {{"recall", audit->recall()}, {"by_chance", audit->chance()}, {"passes", audit->passes()}};
  }
  return json;
}

Json row_json(const TaskRow& row, double peak_gflops) {
  Json json = {{"label", row.label}, {"weight", row.weight}};
  json.update(tune_json(row.outcome.result, row.task, peak_gflops));
  if (!row.outcome.failure.empty()) json["failure"] = row.outcome.failure;
  return json;
}

std::string table_text(const std::vector<TaskRow>& rows) {
  std::size_t width = 4;
  for (const TaskRow& row : rows) width = std::max(width, row.label.size());
  std::string text = fmt::format("{:<{}} {:>7} {:>8} {:>10} {:>15} {:>8}  {}\n", "task", width, "trials", "seconds",
                                 "best", "speed", "default", "ended");
  for (const TaskRow& row : rows) {
    const SessionResult& result = row.outcome.result;
    const auto ratio = ratio_to_default(result);
    text += fmt::format("{:<{}} {:>7} {:>8.1f} {:>10} {:>15} {:>8}  {}\n", row.label, width, result.trials,
                        result.seconds, result.best ? format_time(result.best->timing.median_ns) : "-",
                        result.best ? throughput_text(work_of(row.task.workload), result.best->timing.median_ns) : "-",
                        ratio ? fmt::format("{:.2f}x", *ratio) : "-", remarks(row.outcome));
  }
  return text;
}

}  // namespace nestwright::cli
