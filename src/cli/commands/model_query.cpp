#include <fmt/format.h>

#include "cli/commands/model_tasks.h"
#include "cli/output/network_output.h"
#include "cli/output/record_output.h"
#include "cli/output/throughput.h"
#include "graph/passes/passes.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"
#include "nestwright/model/onnx.h"
#include "network/candidates.h"
#include "network/identity.h"
#include "network/variant.h"

namespace nestwright::cli {
namespace {

/// A kernel of the model, and what is known of it.
struct ModelRow {
  NetworkTask task;
  TaskContext context;  ///< owns the template of `found`
  Work work;
  Lookup found;

  double nanoseconds() const {
    const bool is_known = found.record && found.match != MatchKind::kNearest;
    return is_known ? found.record->timing.median_ns * static_cast<double>(task.nodes.size()) : 0;
  }
};

void print_rows(const std::vector<ModelRow>& rows) {
  double total = 0;
  std::size_t unknown = 0;
  for (const ModelRow& row : rows) {
    total += row.nanoseconds();
    unknown += row.nanoseconds() == 0 ? 1 : 0;
  }
  std::string text = fmt::format("{:>6}  {:>10}  {:>5}  {:>17}  {:<12}  {:<40}  {}\n", "share", "time", "times",
                                 "throughput", "bound by", "label", "configuration");
  for (const ModelRow& row : rows) {
    const bool is_known = row.nanoseconds() > 0;
    const double each = row.nanoseconds() / static_cast<double>(row.task.nodes.size());
    text += fmt::format("{:>6}  {:>10}  {:>5}  {:>17}  {:<12}  {:<40}  {}: {}\n",
                        is_known ? fmt::format("{:.1f}%", 100 * row.nanoseconds() / total) : "-",
                        is_known ? format_time(each) : match_name(row.found.match), row.task.nodes.size(),
                        is_known ? throughput_text(row.work, each) : "-",
                        row.work.is_memory_bound() ? "memory" : "arithmetic", row.task.label, row.found.source->name,
                        row.found.config.str());
  }
  text += fmt::format("{:>6}  {:>10}  in all{}\n", "", format_time(total),
                      unknown > 0 ? fmt::format(", without {} kernels that were not tuned", unknown) : "");
  fmt::print("{}", printable(text));
}

Json rows_json(const std::vector<ModelRow>& rows) {
  Json list = Json::list();
  for (const ModelRow& row : rows) {
    Json json = {{"label", row.task.label},
                 {"workload", row.task.workload},
                 {"times", row.task.nodes.size()},
                 {"match", match_name(row.found.match)},
                 {"template", row.found.source->name},
                 {"config_text", row.found.config.str()},
                 {"bound_by", row.work.is_memory_bound() ? "memory" : "arithmetic"},
                 {"time_ns", nullptr}};
    if (row.nanoseconds() > 0) json["time_ns"] = row.found.record->timing.median_ns;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

ModelKernels kernels_of_model(const CommonOptions& common, const ModelOptions& model, const TuningLog* log,
                              bool is_complete) {
  const ImportedModel imported = import_model(model_path(common), model);
  if (is_complete && !imported.missing.empty()) throw UsageError(missing_operators_text(imported));
  note_missing_operators(imported);
  const Target target = common.parsed_target();
  ModelKernels made{joined(imported.graph), {}};
  made.kernels = kernels_of_joined(made.joined, target, log, common.parsed_caches(target));
  return made;
}

int query_model(const CommonOptions& common, const ModelOptions& model) {
  const TuningLog log = open_database(common, OpenMode::kRead);
  const auto [joined_graph, graph] = kernels_of_model(common, model, &log, false);
  const Target target = common.parsed_target();
  const CacheState caches = common.parsed_caches(target);
  std::vector<ModelRow> rows;
  std::vector<NetworkTask> tasks = network_tasks(graph);
  std::vector<TaskCandidates> found = look_up_network(graph, target, &log, caches);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const TaskContext& context = found[t].context;
    rows.push_back({std::move(tasks[t]), context, work_of(context.workload()), std::move(found[t].lookups.front())});
  }
  if (common.json) {
    print_json(rows_json(rows));
    return kDone;
  }
  print_rows(rows);
  const auto network = log.find_network(network_key(identity_of(graph), target, caches));
  if (network) {
    fmt::print("{}", printable(network_text(*network, describe_variant(joined_graph, network->variant))));
  }
  return kDone;
}

}  // namespace nestwright::cli
