// Tunes several tasks on one shared budget: those of `tune --file`, and the kernels of a model.
// Thread rule: one thread at a time. `interrupted` may be set from a signal handler.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/common_options.h"
#include "cli/options/model_options.h"
#include "logs/quality.h"
#include "nestwright/model/graph.h"
#include "nestwright/tune.h"
#include "target/description/machine.h"

namespace nestwright::cli {

/// A model whose network is timed when its kernels were tuned.
struct TunedModel {
  Graph joined;   ///< before groupings and layouts are chosen (graph/passes/passes.h)
  Graph kernels;  ///< made of it in the default way
};

struct TaskList {
  std::string name;  ///< of the file or model
  std::vector<ListedTask> tasks;
  std::vector<std::string> notes;  ///< sentences for the user, about entries that are merged or left out
  ListObjective objective = ListObjective::kRelativeTimes;
  std::optional<TunedModel> model = {};  ///< absent: a file, or a model with operators that are missing
};

/// Reads and checks all entries of a file, workloads of operators of `registry`. Entries with the same workload are
/// merged into one task, whose weight is their sum. Throws UsageError, which names the file and the entry with its
/// line, if the file cannot be read, a workload is illegal, no template has a legal schedule for it, or this machine
/// cannot tune it.
TaskList read_tasks(const std::string& file, const Registry& registry, const Target& target, CacheState caches);

/// The kernels of a model, weighted by how often they occur, for their total time. Those that cannot be tuned are left
/// out, with a note.
/// Throws UsageError as import_onnx does, and if none is left.
TaskList model_tasks(const std::string& path, const ModelOptions& options, const Registry& registry,
                     const Target& target, CacheState caches);

/// The task of a workload. Throws UsageError if it cannot be tuned here.
ListedTask listed_task(const std::string& label, const std::string& workload, double weight, const Registry& registry,
                       const Target& target, CacheState caches, const Machine& machine);

/// Tunes the tasks, and the network of a model, prints a table, or a JSON document with --json, and returns the exit
/// code. The tasks share `session.budget`, except that early_stop applies to each task. The exit code is kNoValid where
/// the best of a task is below the `required` quality.
int tune_tasks(const TaskList& list, const CommonOptions& common, const SessionOptions& session, Quality required,
               const Registry& registry, const std::atomic<bool>& interrupted);

}  // namespace nestwright::cli
