#include "search/revalidation/stored_bests.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "nestwright/device.h"
#include "nestwright/error.h"
#include "search/task/runnable.h"
#include "support/base/caught_message.h"
#include "target/description/former_target.h"
#include "target/description/machine.h"

namespace nestwright {
namespace {

/// The target of a record, with the name that this version gives its processor.
Target present_target(const std::string& recorded) {
  const Target then = Target::parse(recorded);
  if (then.device != DeviceKind::kCpu) return then;
  Target now = then;
  now.llvm_cpu = Target::host().llvm_cpu;
  const std::optional<Target> former = former_target(now);
  return former && *former == then ? now : then;
}

/// The answers of is_this_machine(), which loads a device's driver each time.
class KnownMachines {
 public:
  bool is_here(const std::string& machine, const Target& target) {
    const auto [known, is_new] = here_.try_emplace({machine, target.str()}, false);
    if (is_new) known->second = is_this_machine(machine, target);
    return known->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, bool> here_;  ///< by machine and target
};

/// Makes the task that this build and machine have for the record, or sets the obstacle.
void resolve(StoredBest& best, const ParseWorkload& parse, KnownMachines& machines) {
  const TaskKey& recorded = best.record.task;
  try {
    const Target target = present_target(recorded.target);
    if (!machines.is_here(recorded.machine, target)) {
      best.record.match = MatchKind::kOtherMachine;
      best.obstacle = "it was recorded on another machine";
      return;
    }
    TaskContext context(Task{parse(recorded.workload.text), target, parse_cache_state(recorded.cache)});
    require_runnable(context.task(), Machine::host());
    const TaskKey& key = context.key();
    if (key.pages != recorded.pages || key.prepacked != recorded.prepacked) {
      best.obstacle = fmt::format("it was recorded with {} pages and {} packed", recorded.pages, recorded.prepacked);
      return;
    }
    if (key.target != recorded.target) best.record.target_now = key.target;
    best.context = std::move(context);
  } catch (...) {
    best.obstacle = caught_message();
  }
}

std::string changes_since(const StoredBest& best) {
  const RecordProvenance now = best.context ? best.context->provenance() : current_provenance(nullptr);
  std::string changes = hint_reason(best.record, now);
  const bool has_other_driver = best.context && best.context->key().machine != best.record.task.machine;
  if (has_other_driver) {
    changes += fmt::format("{}the driver was that of {}, and is that of {}", changes.empty() ? "" : ", ",
                           best.record.task.machine, best.context->key().machine);
  }
  return changes;
}

void set_figure(StoredBest& best) {
  best.was = figure_of(best.record.timing, best.record.recorded_at);
  if (best.record.by_old_rule) {
    best.why_not_compared = "its stored time was scored by an older rule";
  } else if (best.record.source == BestSource::kDisturbed || best.record.timing.is_disturbed()) {
    best.why_not_compared = "its stored time was taken on a disturbed machine";
  }
}

/// The best of the recorded task, of the templates that this build has.
StoredBest stored_best(const TuningLog& log, BestRecord record, const ParseWorkload& parse, KnownMachines& machines) {
  StoredBest best{.record = std::move(record)};
  resolve(best, parse, machines);
  if (best.context) {
    std::optional<BestRecord> usable = log.best(filter_of(best.record.task), best.context->usable_templates());
    if (usable) {
      usable->target_now = best.record.target_now;
      best.record = std::move(*usable);
    } else {
      best.obstacle = fmt::format("this build does not have template {} version {}", best.record.point.template_name,
                                  best.record.point.version);
    }
  }
  best.changes = changes_since(best);
  set_figure(best);
  if (!best.obstacle.empty()) best.context.reset();
  return best;
}

/// The better one of two records of a workload, as stored_bests() says, has the higher rank.
auto rank_of(const StoredBest& best) {
  const bool is_raced = best.record.source == BestSource::kRace;
  return std::tuple(is_raced && best.is_of_same_task(), is_raced, best.is_of_same_task(), best.record.recorded_at);
}

}  // namespace

bool StoredBestsFilter::selects(const StoredBest& best) const {
  if (!recorded_before.empty() && best.record.recorded_at >= recorded_before) return false;
  return !only_changed || !best.changes.empty();
}

bool StoredBest::is_of_same_task() const {
  if (!context) return false;
  const TaskKey& key = context->key();
  return key.backend == record.task.backend && key.machine == record.task.machine && key.target == record.task.target;
}

bool is_this_machine(const std::string& machine, const Target& target) {
  if (machine == machine_of(target)) return true;
  if (target.device == DeviceKind::kCpu) return false;
  const DeviceListing listing = list_devices(target.device);
  if (listing.devices.empty()) return false;
  return machine.starts_with(fmt::format("{}; {}, ", Machine::host().fingerprint(), listing.devices.front().name));
}

std::vector<StoredBest> stored_bests(const TuningLog& log, const StoredBestsFilter& filter,
                                     const ParseWorkload& parse) {
  std::vector<StoredBest> all;
  KnownMachines machines;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> here;  // workload, target and caches
  for (BestRecord& record : log.list(filter.tasks)) {
    const bool is_wanted = filter.workloads.empty() ||
                           std::ranges::find(filter.workloads, record.task.workload.text) != filter.workloads.end();
    if (!is_wanted) continue;
    StoredBest best = stored_best(log, std::move(record), parse, machines);
    if (best.context) {
      const TaskKey& key = best.context->key();
      const auto [same, is_new] = here.try_emplace({key.workload.text, key.target, key.cache}, all.size());
      if (!is_new) {
        StoredBest& other = all[same->second];
        if (rank_of(other) < rank_of(best)) other = std::move(best);
        continue;
      }
    }
    all.push_back(std::move(best));
  }
  std::erase_if(all, [&](const StoredBest& best) { return !filter.selects(best); });
  std::ranges::stable_sort(all, {}, [](const StoredBest& best) { return best.record.recorded_at; });
  return all;
}

}  // namespace nestwright
