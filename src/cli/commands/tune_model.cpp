#include "cli/commands/tune_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "cli/output/progress.h"
#include "cli/output/record_output.h"
#include "nestwright/error.h"
#include "network/candidates.h"
#include "network/identity.h"
#include "network/variant.h"
#include "search/network/network_race.h"

namespace nestwright::cli {
namespace {

constexpr double kRaceShare = 0.12;        // of the seconds, for timing the network
constexpr double kVariantRaceShare = 0.2;  // the same where variants of it race, too
constexpr double kLeastRace_s = 3;         // beside compiling
constexpr double kCompileKernel_s = 0.3;   // of each task's kernel, on all cores together
constexpr double kMostRaceShare = 0.3;     // where timing the network needs more, it is left out
constexpr double kVariantsShare = 0.25;    // of the seconds, for the starting points of alternatives
constexpr double kTask_s = 1;              // for those of a task
constexpr int kFirstTrials = 4;            // of each task

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
  if (budget_.seconds == 0 || !is_timed()) return tasks;
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
  has_alternatives_ = tasks.size() > list_.tasks.size();
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
  if (budget_.trials > 0) {
    const auto most = static_cast<std::int64_t>(kVariantsShare * static_cast<double>(budget_.trials));
    options.budget.trials = std::clamp<std::int64_t>(most, 1, options.budget.trials);
  }
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

double ModelTuning::network_s() const {
  return kLeastRace_s + kCompileKernel_s * static_cast<double>(list_.tasks.size());
}

double ModelTuning::race_seconds() const {
  const double share = has_alternatives_ ? kVariantRaceShare : kRaceShare;
  const double seconds = std::max(share * budget_.seconds, network_s());
  return seconds <= kMostRaceShare * budget_.seconds ? seconds : 0;
}

Budget ModelTuning::budget_for_tasks() const {
  Budget budget = budget_;
  if (budget.trials > 0) budget.trials = std::max<std::int64_t>(budget.trials - trials_, 1);
  constexpr double kLeast_s = 1e-3;
  if (budget.seconds > 0) budget.seconds = std::max(budget.seconds - race_seconds() - elapsed_s_(), kLeast_s);
  return budget;
}

std::vector<NetworkVariant> ModelTuning::variants(const std::optional<NetworkRecord>& recorded, std::size_t most) {
  std::vector<NetworkVariant> distinct{{}};
  const auto add = [&](const NetworkVariant& variant) {
    const bool is_new = std::ranges::find(distinct, variant) == distinct.end();
    if (is_new && distinct.size() < most) distinct.push_back(variant);
  };
  if (recorded) add(recorded->variant);
  if (!has_alternatives_) return distinct;
  for (const NetworkVariant& contender : variants_.contenders()) add(contender);
  return distinct;
}

NetworkRecord ModelTuning::race_networks() {
  NetworkRaceOptions race{.caches = first_.caches, .effort = options_.effort};
  const auto seconds_left = [&] {
    if (interrupted_) return 0.0;
    return budget_.seconds > 0 ? budget_.seconds - elapsed_s_() : std::numeric_limits<double>::infinity();
  };
  ProgressLine line(budget_);
  race.on_progress = [&](const std::string& phase, const RaceProgress& progress) {
    line.show_phase(phase, progress.of > 0 ? fmt::format("process {} of {}", progress.done, progress.of) : "",
                    elapsed_s_());
  };
  const std::string identity = identity_of(list_.model->joined);
  const std::string name = std::filesystem::path(list_.name).filename().string();
  // Each is compiled, and the fastest once more, with its candidates; there are two races.
  const double compile_s = network_s() - kLeastRace_s;
  const double affordable = std::min((seconds_left() - kLeastRace_s - network_s()) / compile_s, 16.0);
  const auto recorded = log_.find_network_of(identity, network_key(identity, first_.target, first_.caches));
  const std::vector<NetworkVariant> distinct = variants(recorded, static_cast<std::size_t>(std::max(affordable, 1.0)));
  std::vector<Graph> graphs;
  std::vector<RacedNetwork> networks;
  graphs.reserve(distinct.size());
  for (const NetworkVariant& variant : distinct) {
    try {
      graphs.push_back(kernels_of_variant(list_.model->joined, variant));
      networks.push_back({&graphs.back(), identity, name, variant});
    } catch (const UsageError&) {
      // recorded by another version, which had other sites
    }
  }
  std::optional<std::size_t> fastest = 0;
  if (networks.size() > 1) {
    race.seconds_left = [&] { return seconds_left() - network_s(); };
    fastest = race_variants(networks, first_.target, log_, race);
  }
  race.seconds_left = seconds_left;
  // Where nothing was decided, the recorded variant stays.
  const std::size_t usual = recorded && networks.size() > 1 && networks[1].variant == recorded->variant ? 1 : 0;
  NetworkRecord record = race_network(networks[fastest.value_or(usual)], first_.target, log_, race);
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
