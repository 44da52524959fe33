// ModelTuning is what `tune` does for a model beside its default kernels: it tries other groupings and layouts, and
// times the network.
// Thread rule: one thread at a time. `interrupted` may be set from a signal handler. Unit: seconds.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/tune_file.h"
#include "search/network/variant_search.h"

namespace nestwright::cli {

class ModelTuning {
 public:
  /// Requires a list with a model. What is given must outlive it. `elapsed_s` returns the time since the start of
  /// `options.budget`.
  ModelTuning(const TaskList& list, TuningLog& log, const SessionOptions& options, const Registry& registry,
              std::function<double()> elapsed_s, const std::atomic<bool>& interrupted);

  /// Tries the starting points of other groupings and layouts, for at most a quarter of the budget's seconds, and
  /// returns the tasks to be tuned: those of the list, and of alternatives that are nearly as fast. A budget without
  /// seconds tries none.
  std::vector<ListedTask> tasks();
  /// What is left of the budget, without the seconds that race() needs, and without what tasks() took.
  Budget budget_for_tasks() const;
  /// Races the fastest variant against the default one, then the kernels inside of the network, within the budget.
  /// Absent if the network was not timed: a note says why. The records of the kernels stay.
  std::optional<NetworkRecord> race();
  /// That tasks() made.
  std::int64_t trials() const { return trials_; }

 private:
  double race_seconds() const;
  bool is_timed() const { return budget_.seconds == 0 || race_seconds() > 0; }
  void add_tasks(std::vector<ListedTask>& tasks, const std::vector<VariantTask>& more) const;
  void try_starting_points(const std::vector<VariantTask>& alternatives);
  /// Seconds for compiling a network, and for timing it.
  double network_s() const;
  /// The default variant, then the recorded one, if there is one, and those that may be faster, at most so many.
  std::vector<NetworkVariant> variants(const std::optional<NetworkRecord>& recorded, std::size_t most);
  NetworkRecord race_networks();

  const TaskList& list_;
  TuningLog& log_;
  const SessionOptions& options_;
  const Budget& budget_;
  const Registry& registry_;
  std::function<double()> elapsed_s_;
  const std::atomic<bool>& interrupted_;
  const Task first_;  ///< a task of the list: all have its target and conditions
  VariantSearch variants_;
  std::int64_t trials_ = 0;
  bool has_alternatives_ = false;
};

}  // namespace nestwright::cli
