#include "cli/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {
namespace {

nlohmann::json config_json(const Config& config) {
  nlohmann::json json = nlohmann::json::object();
  for (const ConfigEntry& entry : config.entries()) {
    if (!entry.label.empty()) {
      json[entry.knob] = entry.label;
    } else if (entry.value.size() == 1) {
      json[entry.knob] = entry.value.front();
    } else {
      json[entry.knob] = entry.value;
    }
  }
  return json;
}

}  // namespace

std::string format_time(double ns) {
  if (ns < 1e3) return fmt::format("{:.4g} ns", ns);
  if (ns < 1e6) return fmt::format("{:.4g} us", ns * 1e-3);
  if (ns < 1e9) return fmt::format("{:.4g} ms", ns * 1e-6);
  return fmt::format("{:.4g} s", ns * 1e-9);
}

std::string format_time(const Timing& timing) {
  return fmt::format("{} [{} .. {}]", format_time(timing.median_ns), format_time(timing.low_ns),
                     format_time(timing.high_ns));
}

std::string to_text(const BestRecord& best, const Workload& asked) {
  std::string text = fmt::format("workload  {}\n", asked.str());
  text += fmt::format("match     {}", match_name(best.match));
  if (best.match == MatchKind::kNearest) text += fmt::format(": recorded for {}", best.task.workload.text);
  text += fmt::format("\ntarget    {}\nmachine   {}\n", best.task.target, best.task.machine);
  text += fmt::format("template  {} version {}\nconfig    {}\n", best.proposal.from.name, best.proposal.from.version,
                      best.proposal.config.str());
  const double flops = best.task.workload.flops;
  text += fmt::format("time      {}\n", format_time(best.timing));
  text += fmt::format("speed     {:.1f} GFLOP/s [{:.1f} .. {:.1f}]\n", best.gflops(), flops / best.timing.high_ns,
                      flops / best.timing.low_ns);
  text += fmt::format("correct   {}, largest error {:.2g} of its bound\n",
                      best.evidence.verified ? "verified against the reference in double" : "NOT verified",
                      best.evidence.largest_error_ratio);
  text += fmt::format("evidence  {}{}, {} trials, {}, {}\n",
                      best.from_race ? "winner of the final race" : "fastest trial of its session",
                      best.tied ? " (a tie)" : "", best.trials, best.task.backend, best.recorded_at);
  return text;
}

nlohmann::json to_json(const BestRecord& best, const Workload& asked) {
  nlohmann::json json = {{"workload", asked.str()},
                         {"target", best.task.target},
                         {"template", best.proposal.from.name},
                         {"version", best.proposal.from.version},
                         {"match", match_name(best.match)},
                         {"config", config_json(best.proposal.config)},
                         {"config_text", best.proposal.config.str()},
                         {"time_ns",
                          {{"median", best.timing.median_ns}, {"low", best.timing.low_ns}, {"high", best.timing.high_ns}}},
                         {"gflops", best.gflops()},
                         {"verified", best.evidence.verified},
                         {"largest_error", best.evidence.largest_error},
                         {"largest_error_ratio", best.evidence.largest_error_ratio},
                         {"trials", best.trials},
                         {"machine", best.task.machine},
                         {"backend", best.task.backend},
                         {"recorded_at", best.recorded_at},
                         {"from_race", best.from_race},
                         {"tied", best.tied}};
  if (best.match == MatchKind::kNearest) json["recorded_for"] = best.task.workload.text;
  return json;
}

std::string default_to_text(const Lookup& found, const Task& task) {
  return fmt::format(
      "workload  {}\nmatch     default: {}\ntarget    {}\ntemplate  {} version {}\nconfig    {}\n"
      "time      not measured: run nestwright tune {}\n",
      task.workload.str(), found.why_default, task.target.str(), found.source->name, found.source->version,
      found.config.str(), task.workload.str());
}

nlohmann::json default_to_json(const Lookup& found, const Task& task) {
  return {{"workload", task.workload.str()},
          {"target", task.target.str()},
          {"template", found.source->name},
          {"version", found.source->version},
          {"match", match_name(MatchKind::kDefault)},
          {"config", config_json(found.config)},
          {"config_text", found.config.str()},
          {"time_ns", nullptr},
          {"gflops", nullptr},
          {"verified", false},
          {"trials", 0}};
}

}  // namespace nestwright::cli
