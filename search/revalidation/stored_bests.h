// Selects the stored bests to revalidate: those whose compiler, code generator, plugins, driver or system changed since
// they were recorded, or all, and resolves each as a task of this build and machine.
// Thread rule: one thread at a time per log.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/database.h"
#include "nestwright/lookup.h"
#include "search/revalidation/compare_times.h"

namespace nestwright {

/// The best of a task, as it is stored, and the task as this build and machine have it.
struct StoredBest {
  BestRecord record;
  std::optional<TaskContext> context;  ///< absent if there is an obstacle
  std::string changes;                 ///< what changed since it was recorded, as clauses; empty: nothing
  std::string obstacle;                ///< why it cannot be built and timed here, one clause; empty: it can
  /// What its time is compared with: that of the record, or one that was written before. Absent: nothing.
  std::optional<KernelFigure> was;
  std::string why_not_compared;  ///< why `was` is no time to compare with, one clause; empty: it is one

  /// Whether the log has the task as this build has it. False: another backend, driver or name of the processor made
  /// the record, which is then one of another task.
  bool is_of_same_task() const;
  /// The text of the target, with the name that this build gives its processor.
  const std::string& target() const { return record.target_now.empty() ? record.task.target : record.target_now; }
};

/// Which stored bests are selected.
struct StoredBestsFilter {
  TaskFilter tasks;                    ///< without its `workload`
  std::vector<std::string> workloads;  ///< canonical texts; empty: any
  std::string recorded_before;         ///< UTC, ISO 8601; empty: at any time
  bool only_changed = true;            ///< only those with StoredBest::changes

  /// Whether a best that its task and workload select was recorded before, and is changed if it must be.
  bool selects(const StoredBest& best) const;
};

/// Parses the text of a recorded workload. Throws UsageError if this program does not have its operator.
using ParseWorkload = std::function<Workload(const std::string& text)>;

/// Returns the selected bests, those first that were recorded first. If several backends, drivers or names of the
/// processor recorded a workload on this machine, one record stands for all: one that was raced by the present ones,
/// else the last that was raced, else one by the present ones. Throws LogError.
std::vector<StoredBest> stored_bests(const TuningLog& log, const StoredBestsFilter& filter, const ParseWorkload& parse);

/// Whether `machine` (TaskKey::machine) is the one that runs kernels for `target` here, whatever its driver.
bool is_this_machine(const std::string& machine, const Target& target);

}  // namespace nestwright
