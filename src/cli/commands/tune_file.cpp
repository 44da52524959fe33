#include "cli/commands/tune_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/tune_model.h"
#include "cli/options/text_file.h"
#include "cli/output/network_output.h"
#include "cli/output/progress.h"
#include "cli/output/tune_output.h"
#include "graph/passes/passes.h"
#include "nestwright/error.h"
#include "nestwright/lookup.h"
#include "nestwright/model/network.h"
#include "network/variant.h"
#include "search/task/runnable.h"
#include "support/base/caught_message.h"
#include "templates/framework/space/completion.h"
#include "templates/framework/space/discover.h"
#include "templates/framework/template/workload_file.h"

namespace nestwright::cli {
namespace {

int exit_code(const std::vector<TaskRow>& rows, bool interrupted) {
  const auto any = [&](auto&& is) {
    return std::any_of(rows.begin(), rows.end(), [&](const TaskRow& row) { return !row.is_alternative && is(row); });
  };
  if (interrupted) return kInterrupted;
  if (any([](const TaskRow& row) { return !row.outcome.failure.empty(); })) return kFailed;
  return any([](const TaskRow& row) { return !row.outcome.result.best; }) ? kNoValid : kDone;
}

/// Returns the message for an exit code other than 0.
std::string failure_message(const std::vector<TaskRow>& rows) {
  for (const TaskRow& row : rows) {
    if (!row.is_alternative && !row.outcome.failure.empty())
      return fmt::format("{} failed: {}", row.label, row.outcome.failure);
  }
  std::vector<std::string> without;
  for (const TaskRow& row : rows) {
    if (!row.is_alternative && !row.outcome.result.best) without.push_back(row.label);
  }
  return fmt::format(
      "no valid candidate was found for {} of {} tasks, {} the first: give them more time, or see nestwright "
      "space",
      without.size(), std::ranges::count_if(rows, [](const TaskRow& row) { return !row.is_alternative; }),
      without.front());
}

/// Adds the expected time of the whole, the sum of weight x best time, and the share of it that is tuned. Requires a
/// best of each task.
void add_whole(Json& json, const std::vector<TaskRow>& rows) {
  double whole_ns = 0, tuned_ns = 0;
  for (const TaskRow& row : rows) {
    if (row.is_alternative) continue;
    const double ns = row.weight * row.outcome.result.best->timing.median_ns;
    whole_ns += ns;
    if (row.outcome.is_tuned) tuned_ns += ns;
  }
  json["whole_ns"] = whole_ns;
  json["tuned_share"] = tuned_ns / whole_ns;
}

Json document(const std::string& file, const std::vector<TaskRow>& rows, std::int64_t trials, double seconds,
              bool interrupted) {
  const double peak = measure_peak(rows.front().task.target);
  Json json = {{"file", file},
               {"target", rows.front().task.target.str()},
               {"seconds", seconds},
               {"trials", trials},
               {"trials_per_second", trials_per_second(trials, seconds)},
               {"interrupted", interrupted}};
  const auto has_best = [](const TaskRow& row) { return row.is_alternative || row.outcome.result.best.has_value(); };
  if (std::ranges::all_of(rows, has_best)) add_whole(json, rows);
  json["tasks"] = Json::list();
  for (const TaskRow& row : rows) json["tasks"].push_back(row_json(row, peak_of(row.task, peak)));
  return json;
}

}  // namespace

ListedTask listed_task(const std::string& label, const std::string& workload, double weight, const Registry& registry,
                       const Target& target, CacheState caches, const Machine& machine) {
  const TaskContext context(Task{parse_any_workload(registry, workload), target, caches});
  require_runnable(context.task(), machine);
  const std::vector<const Template*> templates = context.templates();
  const bool has_seeds = std::any_of(templates.begin(), templates.end(),
                                     [&](const Template* source) { return !context.seeds(*source).empty(); });
  if (!has_seeds) refuse_without_schedule(context.workload(), target);
  return {label, context, weight};
}

TaskList read_tasks(const std::string& file, const Registry& registry, const Target& target, CacheState caches) {
  const WorkloadFile read =
      parse_workload_file(read_text_file(file, "list of workloads", "give a JSON file of workloads with --file"), file);
  const Machine machine = Machine::host();
  TaskList list{.name = file};
  std::vector<std::size_t> first_entry;
  for (std::size_t i = 0; i < read.entries.size(); ++i) {
    const WorkloadEntry& entry = read.entries[i];
    const std::string place = entry_place(file, i, entry);
    try {
      ListedTask task = listed_task(entry.label, entry.workload, entry.weight, registry, target, caches, machine);
      const auto same = std::find_if(list.tasks.begin(), list.tasks.end(), [&](const ListedTask& other) {
        return other.context.workload() == task.context.workload();
      });
      if (same == list.tasks.end()) {
        list.tasks.push_back(std::move(task));
        first_entry.push_back(i);
        continue;
      }
      same->weight += entry.weight;
      list.notes.push_back(fmt::format("{} is the workload of entry {}: it is tuned once, with the weight of both",
                                       place, first_entry[static_cast<std::size_t>(same - list.tasks.begin())] + 1));
    } catch (...) {
      throw UsageError(fmt::format("{}: {}", place, caught_message()));
    }
  }
  return list;
}

TaskList model_tasks(const std::string& path, const ModelOptions& options, const Registry& registry,
                     const Target& target, CacheState caches) {
  if (target.device != DeviceKind::kCpu) throw UsageError("models are tuned for CPUs only: give a CPU as --target");
  const ImportedModel model = import_model(path, options);
  note_missing_operators(model);
  const Machine machine = Machine::host();
  TaskList list{.name = path, .objective = ListObjective::kTotalTime};
  TunedModel tuned{joined(model.graph), {}};
  tuned.kernels = named(tuned.joined);
  for (const NetworkTask& task : network_tasks(tuned.kernels)) {
    const auto calls = static_cast<double>(task.nodes.size());
    try {
      list.tasks.push_back(listed_task(task.label, task.workload, calls, registry, target, caches, machine));
    } catch (const UsageError& error) {
      list.notes.push_back(fmt::format("the kernel {} is not tuned: {}", task.label, error.what()));
    }
  }
  if (list.tasks.empty()) throw UsageError(fmt::format("the model {} has no kernel that can be tuned", path));
  if (model.missing.empty()) list.model = std::move(tuned);
  return list;
}

int tune_tasks(const TaskList& list, const CommonOptions& common, const SessionOptions& given, Quality required,
               const Registry& registry, const std::atomic<bool>& interrupted) {
  const Target target = list.tasks.front().context.target();
  TuningLog log = open_database(common, OpenMode::kWrite);
  for (const std::string& sentence : list.notes) note(printable(sentence) + "\n");
  note_missing_lock(target);
  note(fmt::format("tuning {} tasks of {} on {}\n", list.tasks.size(), printable(list.name), target.str()));

  const std::int64_t start_ns = steady_clock().now_ns();
  const auto elapsed_s = [&] { return static_cast<double>(steady_clock().now_ns() - start_ns) * 1e-9; };
  std::optional<ModelTuning> model;
  if (list.model) model.emplace(list, log, given, registry, elapsed_s, interrupted);
  const std::vector<ListedTask> tasks = model ? model->tasks() : list.tasks;
  SessionOptions options = given;
  if (model) options.budget = model->budget_for_tasks();
  std::int64_t trials = 0;
  ProgressLine line(options.budget);
  std::vector<TaskOutcome> outcomes = nestwright::tune_tasks(
      tasks, log, options, &interrupted,
      [&](const SharedProgress& p) {
        trials = p.trials;
        line.show(p, tasks[p.task].label);
      },
      list.objective);
  line.finish();
  const std::optional<NetworkRecord> network = model ? model->race() : std::nullopt;
  if (model) trials += model->trials();
  const double seconds = elapsed_s();

  std::vector<TaskRow> rows;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    rows.push_back(
        {tasks[i].label, tasks[i].context.task(), tasks[i].weight, std::move(outcomes[i]), tasks[i].is_alternative});
  }
  note(fmt::format("{} trials in {:.1f} s ({:.1f} a second)\n", trials, seconds, trials_per_second(trials, seconds)));
  if (common.json) {
    Json json = document(list.name, rows, trials, seconds, interrupted);
    if (list.model) json["network"] = network ? network_json(*network) : Json(nullptr);
    print_json(json);
  } else {
    fmt::print("{}", printable(table_text(rows)));
    if (network) {
      fmt::print("{}", printable(network_text(*network, describe_variant(list.model->joined, network->variant))));
    }
  }
  const int code = exit_code(rows, interrupted);
  if (code == kInterrupted) return code;
  if (code != kDone) return print_error(static_cast<ExitCode>(code), failure_message(rows));
  for (const TaskRow& row : rows) {
    if (row.is_alternative) continue;
    const std::string missing = missing_quality(row.outcome.result.best, row.task, required);
    if (!missing.empty()) return print_error(kNoValid, missing);
  }
  return kDone;
}

}  // namespace nestwright::cli
