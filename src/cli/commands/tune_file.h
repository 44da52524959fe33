// Implements `tune --file`, which tunes all workloads of a file on one shared budget.
// Thread rule: one thread at a time. `interrupted` may be set from a signal handler.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cli/options/common_options.h"
#include "logs/quality.h"
#include "nestwright/tune.h"

namespace nestwright::cli {

/// A task of a file. Entries with the same workload are merged into one task, whose weight is their sum.
struct FileTask {
  std::string label;
  TaskContext context;
  double weight = 1;
  std::int64_t seeds = 0;  ///< of all templates, at least 1
};

/// Reads and checks all entries of a file, workloads of operators of `registry`. Appends one sentence to `notes` for
/// each entry that is merged into an earlier one. Throws UsageError, which names the file and the entry with its line,
/// if the file cannot be read, a workload is illegal, no template has a legal schedule for it, or this machine cannot
/// tune it.
std::vector<FileTask> read_tasks(const std::string& file, const Registry& registry, const Target& target,
                                 CacheState caches, std::vector<std::string>& notes);

/// Tunes the tasks of a file, prints a table, or a JSON document with --json, and returns the exit code. The tasks
/// share `session.budget`, except that early_stop and until_gain apply to each task. The exit code is kNoValid where
/// the best of a task is below the `required` quality.
int tune_file(const std::string& file, const CommonOptions& common, const SessionOptions& session, Quality required,
              const std::atomic<bool>& interrupted);

}  // namespace nestwright::cli
