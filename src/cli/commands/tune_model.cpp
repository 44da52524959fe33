#include "cli/commands/tune_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "cli/output/progress.h"
#include "cli/output/record_output.h"
#include "nestwright/error.h"
#include "network/identity.h"
#include "network/variant.h"
#include "search/network/network_race.h"

namespace nestwright::cli {
namespace {

constexpr double kRaceShare = 0.12;       // of the seconds, for timing the network
constexpr double kLeastRace_s = 3;        // beside compiling
constexpr double kCompileKernel_s = 0.3;  // of each task's kernel, on all cores together
constexpr double kMostRaceShare = 0.3;    // where timing the network needs more, it is left out
constexpr double kVariantsShare = 0.25;   // of the seconds, for the starting points of alternatives
constexpr double kTask_s = 1;             // for those of a task
constexpr int kFirstTrials = 4;           // of each task

}  // namespace

ModelTuning::ModelTuning(const TaskList& list, TuningLog& log, const SessionOptions& options, const Registry& registry,
                         std::function<double()> elapsed_s, const std::atomic<bool>& interrupted)
    : list_(list),
      log_(log),
      options_(options),
      budget_(options.budget),
      registry_(registry),
      elapsed_s_(std::move(elapsed_s)),
      interrupted_(interrupted),
      first_(list.tasks.front().context.task()),
      variants_(list.model->joined, first_.target, first_.caches, log) {}

void ModelTuning::add_tasks(std::vector<ListedTask>& tasks, const std::vector<VariantTask>& more) const {
  const Machine machine = Machine::host();
  for (const VariantTask& task : more) {
    try {
      ListedTask listed =
          listed_task(task.label, task.workload, task.calls, registry_, first_.target, first_.caches, machine);
      const bool is_known = std::ranges::any_of(
          tasks, [&](const ListedTask& other) { return other.context.workload() == listed.context.workload(); });
      listed.is_alternative = true;
      if (!is_known) tasks.push_back(std::move(listed));
    } catch (const UsageError&) {
      // it cannot be tuned here: the default stays
    }
  }
}

std::vector<ListedTask> ModelTuning::tasks() {
  std::vector<ListedTask> tasks = list_.tasks;
  if (budget_.seconds == 0) return tasks;
  const auto affordable = static_cast<std::size_t>(kVariantsShare * budget_.seconds / kTask_s);
  std::vector<VariantTask> alternatives = variants_.unknown();
  if (alternatives.size() > affordable) {
    note(fmt::format(
        "{} of {} kernels of other groupings and layouts are not tried: that takes longer than a quarter of these "
        "seconds\n",
        alternatives.size() - affordable, alternatives.size()));
    alternatives.resize(affordable);
  }
  if (!alternatives.empty()) try_starting_points(alternatives);
  add_tasks(tasks, variants_.promising());
  return tasks;
}

void ModelTuning::try_starting_points(const std::vector<VariantTask>& alternatives) {
  std::vector<ListedTask> tasks;
  add_tasks(tasks, alternatives);
  // What they are compared with.
  for (const ListedTask& task : list_.tasks) {
    if (!log_.best(filter_of(task.context.key()), task.context.usable_templates())) tasks.push_back(task);
  }
  if (tasks.empty()) return;
  SessionOptions options = options_;
  options.finalists = 0;
  options.budget = {.trials = kFirstTrials * static_cast<std::int64_t>(tasks.size()),
                    .seconds = kVariantsShare * budget_.seconds};
  note(fmt::format("trying {} kernels of other groupings and layouts\n", alternatives.size()));
  ProgressLine line(options.budget);
  nestwright::tune_tasks(
      tasks, log_, options, &interrupted_,
      [&](const SharedProgress& p) {
        trials_ = p.trials;
        line.show_phase("other groupings and layouts",
                        fmt::format("{} of {} trials; {}", p.trials, options.budget.trials, tasks[p.task].label),
                        p.seconds);
      },
      list_.objective);
  line.finish();
}

double ModelTuning::race_seconds() const {
  const double needed = kLeastRace_s + kCompileKernel_s * static_cast<double>(list_.tasks.size());
  const double seconds = std::max(kRaceShare * budget_.seconds, needed);
  return seconds <= kMostRaceShare * budget_.seconds ? seconds : 0;
}

double ModelTuning::seconds_for_tasks() const {
  if (budget_.seconds == 0) return 0;
  constexpr double kLeast_s = 1e-3;
  return std::max(budget_.seconds - race_seconds() - elapsed_s_(), kLeast_s);
}

NetworkRecord ModelTuning::race_networks() const {
  NetworkRaceOptions race{.caches = first_.caches, .effort = options_.effort};
  race.seconds_left = [&] {
    if (interrupted_) return 0.0;
    return budget_.seconds > 0 ? budget_.seconds - elapsed_s_() : std::numeric_limits<double>::infinity();
  };
  ProgressLine line(budget_);
  race.on_progress = [&](const std::string& phase, const RaceProgress& progress) {
    line.show_phase(phase, progress.of > 0 ? fmt::format("process {} of {}", progress.done, progress.of) : "",
                    elapsed_s_());
  };
  const std::string graph = identity_of(list_.model->joined);
  const std::string name = std::filesystem::path(list_.name).filename().string();
  VariantSearch variants(list_.model->joined, first_.target, first_.caches, log_);
  std::vector<NetworkVariant> distinct{{}};
  const auto add = [&](const NetworkVariant& variant) {
    if (std::ranges::find(distinct, variant) == distinct.end()) distinct.push_back(variant);
  };
  const NetworkVariant best = variants.best();
  add(best);
  if (!best.blocked.empty()) {
    for (const int block : variants.blocks()) add(variants.uniform(block));
  }
  std::vector<Graph> graphs;
  for (const NetworkVariant& variant : distinct) graphs.push_back(kernels_of_variant(list_.model->joined, variant));
  std::vector<RacedNetwork> networks;
  for (std::size_t v = 0; v < distinct.size(); ++v) networks.push_back({&graphs[v], graph, name, distinct[v]});
  std::size_t fastest = 0;
  if (networks.size() > 1) fastest = race_variants(networks, first_.target, log_, race);
  const NetworkRecord record = race_network(networks[fastest], first_.target, log_, race);
  line.finish();
  return record;
}

std::optional<NetworkRecord> ModelTuning::race() {
  if (interrupted_) return std::nullopt;
  if (!is_timed()) {
    note("the network as a whole was not timed: that takes longer than a part of these seconds\n");
    return std::nullopt;
  }
  try {
    NetworkRecord record = race_networks();
    if (record.timing.median_ns > 0) return record;
    note("the network as a whole was not timed: the time was over\n");
  } catch (const LogError&) {
    throw;
  } catch (const Error& error) {
    note(fmt::format("the network as a whole was not timed: {}\n", printable(error.what())));
  }
  return std::nullopt;
}

}  // namespace nestwright::cli
