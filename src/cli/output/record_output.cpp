#include "cli/output/record_output.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/options/common_options.h"
#include "cli/output/shell_command.h"
#include "cli/output/throughput.h"
#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "measure/race/process_range.h"
#include "measure/race/timing.h"
#include "nestwright/error.h"
#include "nestwright/text_operator.h"

namespace nestwright::cli {
namespace {

Json config_json(const Config& config) {
  Json json = Json::object();
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

const char* source_text(BestSource source) {
  switch (source) {
    case BestSource::kRace:
      return "winner of the final race";
    case BestSource::kConfirmed:
      return "last confirmed incumbent, not raced";
    case BestSource::kUnconfirmed:
      return "fastest trial of its session, not confirmed";
    case BestSource::kTrial:
      return "a trial that was not raced";
    case BestSource::kDisturbed:
      return "timed on a disturbed machine";
  }
  throw InternalError("internal error: source of a best record out of range");
}

/// Describes a tie or a stored best that was kept; "" after a clear win.
std::string verdict_text(const BestRecord& best) {
  if (best.ties > 0) return fmt::format(" ({} a tie with {})", best.kept ? "stored best, kept on" : "by", best.ties);
  return best.kept ? " (stored best, kept)" : "";
}

/// Says how much the machine drifted during the session where a process of another minute may show another time than
/// the range; "" elsewhere.
std::string drift_text(const BestRecord& best) {
  constexpr double kMatters = 0.02;
  const double half_width = (best.timing.high_ns - best.timing.low_ns) / (2 * best.timing.median_ns);
  if (best.drift < kMatters || best.drift < half_width) return {};
  return fmt::format(
      "readings of one kernel differed by up to {:.0f}% within the session: at another minute the time may, too",
      100 * best.drift);
}

const char* binding_text(const Work& work) { return work.is_memory_bound() ? "memory" : "arithmetic"; }

std::string evidence_text(const BestRecord& best, const Operator* op) {
  std::string text = source_text(best.source) + verdict_text(best);
  if (best.timing.is_disturbed()) text += fmt::format(" ({})", best.timing.disturbance);
  if (const ProcessRange range = process_range(best.process_medians_ns); range.slow > 0) {
    text += ", " + slow_text(range);
  } else if (range.processes > 0) {
    text += fmt::format(", timed in {} processes", range.processes);
  }
  text += hint_text(hint_reason(best, current_provenance(op)));
  return fmt::format("{}, {} trials, {}, {}", text, best.trials, best.task.backend, best.recorded_at);
}

}  // namespace

std::string hint_text(const std::string& reason) {
  return reason.empty() ? "" : fmt::format(", a hint until it is tuned again ({})", reason);
}

Json hint_json(const std::string& reason) { return reason.empty() ? Json() : Json(reason); }

std::string format_time(const Timing& timing) {
  return format_time_range(timing.median_ns, timing.low_ns, timing.high_ns);
}

std::string record_text(const BestRecord& best, const Workload& asked) {
  const Work work = work_of(best.task.workload, asked);
  const bool nearest = best.match == MatchKind::kNearest;
  std::string text = fmt::format("workload  {}\nmatch     {}", asked.str(), match_name(best.match));
  if (nearest) text += fmt::format(": recorded for {}", best.task.workload.text);
  if (best.match == MatchKind::kOtherMachine) text += ": recorded on the machine below, not here";
  text += fmt::format("\ntarget    {}\n{}machine   {}\n", best.task.target,
                      caches_arguments(best.task).empty() ? "" : fmt::format("caches    {}\n", best.task.cache),
                      best.task.machine);
  text += fmt::format("template  {} version {}\nconfig    {}\n", best.point.template_name, best.point.version,
                      best.point.config.str());
  text += fmt::format("time      {}{}\n", format_time(best.timing), nearest ? " for the recorded shape" : "");
  text += fmt::format("speed     {} [{:.1f} .. {:.1f}], bound by {}\n", throughput_text(work, best.timing.median_ns),
                      work.throughput(best.timing.high_ns), work.throughput(best.timing.low_ns), binding_text(work));
  text += fmt::format("correct   {}, largest error {:.2g} of its bound\n",
                      best.evidence.verified ? "verified against the reference in double" : "NOT verified",
                      best.evidence.largest_error_ratio);
  text += fmt::format("evidence  {}\n", evidence_text(best, asked.op.get()));
  if (const std::string drift = drift_text(best); !drift.empty()) text += fmt::format("drift     {}\n", drift);
  return printable(text);
}

namespace {

/// `op` may be null.
Json json_of(const BestRecord& best, const std::string& asked, const Work& work, const Operator* op) {
  Json json = {{"workload", asked},
               {"target", best.task.target},
               {"caches", best.task.cache},
               {"template", best.point.template_name},
               {"version", best.point.version},
               {"match", match_name(best.match)},
               {"trial", best.trial}};
  if (best.match == MatchKind::kNearest) json["recorded_for"] = best.task.workload.text;
  json["config"] = config_json(best.point.config);
  json["config_text"] = best.point.config.str();
  json["time_ns"] = {{"median", best.timing.median_ns}, {"low", best.timing.low_ns}, {"high", best.timing.high_ns}};
  json["fma_ns"] = median_interval(best.timing.fma_ns).median;
  json["walk_ns"] = median_interval(best.timing.walk_ns).median;
  json["gflops"] = best.gflops();
  json["gb_s"] = work.bytes / best.timing.median_ns;
  json["bound_by"] = binding_text(work);
  json["verified"] = best.evidence.verified;
  json["largest_error"] = best.evidence.largest_error;
  json["largest_error_ratio"] = best.evidence.largest_error_ratio;
  json["trials"] = best.trials;
  json["machine"] = best.task.machine;
  json["backend"] = best.task.backend;
  json["recorded_at"] = best.recorded_at;
  json["source"] = best_source_name(best.source);
  json["quality"] = quality_name(quality_of(best));
  json["disturbance"] = best.timing.is_disturbed() ? Json(best.timing.disturbance) : Json();
  json["from_race"] = best.source == BestSource::kRace;
  json["by_old_rule"] = best.by_old_rule;
  json["hint"] = hint_json(hint_reason(best, current_provenance(op)));
  json["made_by"] = {{"code_generator", best.made_by.code_generator},
                     {"kernel", best.made_by.kernel},
                     {"microcode", best.made_by.microcode},
                     {"huge_pages", best.made_by.huge_pages},
                     {"plugins", best.made_by.plugins}};
  json["tied"] = best.tied;
  json["ties"] = best.ties;
  json["kept"] = best.kept;
  const ProcessRange range = process_range(best.process_medians_ns);
  json["processes"] = {{"timed", range.processes}, {"slow", range.slow}, {"slow_ratio", range.slow_ratio}};
  json["process_medians_ns"] = best.process_medians_ns;
  json["drift"] = best.drift;
  return json;
}

}  // namespace

Json record_json(const BestRecord& best, const Workload& asked) {
  return json_of(best, asked.str(), work_of(best.task.workload, asked), asked.op.get());
}

Json listed_json(const BestRecord& best, const std::shared_ptr<const Operator>& op) {
  return json_of(best, best.task.workload.text, work_of(best.task.workload, op), op.get());
}

std::string missing_quality(const std::optional<BestRecord>& best, const Task& task, Quality required) {
  const Quality reached = best ? quality_of(*best) : Quality::kDefault;
  if (reached >= required) return {};
  return fmt::format("the best of {} is {}, less than {} (--require): give it more time, or a quieter machine",
                     task.workload.str(), quality_name(reached), quality_name(required));
}

std::string caches_arguments(const TaskKey& task) {
  const bool is_cpu = task.target.starts_with("cpu");
  return task.cache == (is_cpu ? "warm" : "cold") ? "" : " --caches " + task.cache;
}

std::string caches_arguments(const Task& task) {
  const bool is_default = task.target.device != DeviceKind::kCpu || task.caches == CacheState::kWarm;
  return is_default ? "" : fmt::format(" --caches {}", cache_state_name(task.caches));
}

std::string no_exact_match_text(const Task& task, MatchKind match) {
  return fmt::format("nothing is recorded for {} on {}{}{}: run nestwright tune, or drop --exact", task.workload.str(),
                     task.target.str(), caches_arguments(task),
                     match == MatchKind::kOtherMachine ? " that was tuned on this machine" : "");
}

std::string default_text(const Lookup& found, const Task& task) {
  return fmt::format(
      "workload  {}\nmatch     default: {}\ntarget    {}\ntemplate  {} version {}\nconfig    {}\n"
      "time      not measured: run {}\n",
      task.workload.str(), found.why_default, task.target.str(), found.source->name, found.source->version,
      found.config.str(), task_command("tune", task));
}

Json default_json(const Lookup& found, const Task& task) {
  return {{"workload", task.workload.str()},
          {"target", task.target.str()},
          {"caches", caches_of(task)},
          {"template", found.source->name},
          {"version", found.source->version},
          {"match", match_name(MatchKind::kDefault)},
          {"config", config_json(found.config)},
          {"config_text", found.config.str()},
          {"time_ns", nullptr},
          {"gflops", nullptr},
          {"verified", false},
          {"quality", quality_name(Quality::kDefault)},
          {"trials", 0}};
}

void print_json(const Json& json) { fmt::print("{}\n", json.str()); }

}  // namespace nestwright::cli
