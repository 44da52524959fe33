// `tune --file`: all workloads of a file on one budget.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cli/command.h"
#include "search/session.h"

namespace nestwright::cli {

/// A task that a file asks for; entries that are the same workload are one task, their weights added.
struct FileTask {
  std::string label;
  Task task;
  double weight = 1;
};

/// Reads and checks all of it before anything runs. Throws UsageError that names the file and the entry: one that
/// cannot be read, an illegal workload, one that this machine cannot tune. Of entries that are merged `note` is told
/// one sentence each.
std::vector<FileTask> read_tasks(const std::string& file, const Target& target, std::vector<std::string>& notes);

/// Tunes them and prints the table, or the document with --json. `session.budget` is all tasks' together, but for
/// early_stop and until_gain, which are each one's.
int tune_file(const std::string& file, const CommonOptions& common, const SessionOptions& session,
              const std::atomic<bool>& interrupted);

}  // namespace nestwright::cli
