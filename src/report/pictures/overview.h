// The sections of a page about several tasks: all of them in a table, two databases or targets side by side, and the
// kernels of a network.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "report/page/page.h"
#include "report/task_data.h"

namespace nestwright::report {

/// A row for each task: its best, and what it took.
Section overview_section(const std::vector<TaskData>& tasks);

/// The bests of the same workload on different targets, machines or states of the caches; nothing where each workload
/// occurs once.
Section target_section(const std::vector<TaskData>& tasks);

/// The bests of `tasks` beside those of the same tasks in another database, named `before` and `after`; a task that
/// only one of them has is listed.
Section database_section(const std::vector<TaskData>& tasks, const std::vector<TaskData>& others,
                         const std::string& before, const std::string& after);

/// A kernel of a network, which calls it `times` times.
struct NetworkRow {
  std::string label;
  std::string workload;
  std::size_t times = 1;
  double default_ns = 0, best_ns = 0;  ///< of one call; 0: not timed
  std::string config;
};

/// Bars of the kernels' times, before tuning and after. All rows are of one target, machine and state of the caches.
Section network_section(const std::string& title, const std::vector<NetworkRow>& rows);

}  // namespace nestwright::report
