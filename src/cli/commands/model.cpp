#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "cli/commands/model_groupings.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/model_options.h"
#include "cli/output/record_output.h"
#include "graph/passes/passes.h"
#include "graph/print.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"

namespace nestwright::cli {
namespace {

struct ModelCommandOptions {
  CommonOptions common;
  ModelOptions model;
  std::string print_after;
  bool tasks = false, groupings = false;
};

double total_multiply_adds(const std::vector<NetworkTask>& tasks) {
  double total = 0;
  for (const NetworkTask& task : tasks) total += task.multiply_adds * static_cast<double>(task.nodes.size());
  return total;
}

/// "x: float32[1, 3, 224, 224]" for each.
std::string ports_text(const Graph& graph, const std::vector<GraphPort>& ports) {
  std::vector<std::string> all;
  for (const GraphPort& port : ports) all.push_back(fmt::format("{}: {}", port.name, graph.type(port.value).str()));
  return fmt::format("{}", fmt::join(all, ", "));
}

void print_text(const std::string& path, const ImportedModel& model, const Graph& graph,
                const std::vector<NetworkTask>& tasks) {
  const double total = total_multiply_adds(tasks);
  std::size_t kernels = 0;
  for (const NetworkTask& task : tasks) kernels += task.nodes.size();
  std::string text = fmt::format("model     {}: opset {}, {} nodes{}\n", path, model.opset, model.nodes,
                                 model.producer.empty() ? "" : ", written by " + model.producer);
  text += fmt::format("inputs    {}\n", ports_text(graph, graph.inputs()));
  text += fmt::format("outputs   {}\n", ports_text(graph, graph.outputs()));
  text += fmt::format("work      {:.2f} million multiply-adds in {} kernels, {} tasks\n", total * 1e-6, kernels,
                      tasks.size());
  text += fmt::format("\n{:>6}  {:>5}  {:>12}  {:<32}  {}\n", "share", "times", "mult-adds", "operators", "label");
  for (const NetworkTask& task : tasks) {
    const double work = task.multiply_adds * static_cast<double>(task.nodes.size());
    text += fmt::format("{:>5.1f}%  {:>5}  {:>12.0f}  {:<32}  {}\n", total > 0 ? 100 * work / total : 0,
                        task.nodes.size(), task.multiply_adds, task.op, task.label);
  }
  fmt::print("{}", printable(text));
}

Json tasks_json(const std::vector<NetworkTask>& tasks) {
  Json list = Json::list();
  for (const NetworkTask& task : tasks) {
    list.push_back(
        {{"workload", task.workload}, {"label", task.label}, {"weight", static_cast<double>(task.nodes.size())}});
  }
  return list;
}

Json ports_json(const Graph& graph, const std::vector<GraphPort>& ports) {
  Json list = Json::list();
  for (const GraphPort& port : ports) list.push_back({{"name", port.name}, {"type", graph.type(port.value).str()}});
  return list;
}

Json model_json(const std::string& path, const ImportedModel& model, const Graph& graph,
                const std::vector<NetworkTask>& tasks) {
  Json json = {{"model", path},
               {"producer", model.producer},
               {"opset", model.opset},
               {"nodes", model.nodes},
               {"multiply_adds", total_multiply_adds(tasks)},
               {"unreached", model.unreached}};
  json["inputs"] = ports_json(graph, graph.inputs());
  json["outputs"] = ports_json(graph, graph.outputs());
  json["tasks"] = tasks_json(tasks);
  json["missing"] = Json::list();
  for (const MissingOperator& op : model.missing) {
    json["missing"].push_back({{"op", op.op}, {"nodes", op.nodes}, {"reason", op.reason}});
  }
  return json;
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names{"import"};
  for (const GraphPass& pass : graph_passes()) names.emplace_back(pass.name);
  return names;
}

int run(const ModelCommandOptions& options) {
  if (!is_model(options.common)) throw UsageError("no model is given: name a file that ends in .onnx");
  const std::string path = model_path(options.common);
  const ImportedModel model = import_model(path, options.model);
  if (options.print_after == "import") fmt::print("{}", printable(to_string(model.graph)));
  if (options.groupings) {
    note_missing_operators(model);
    fmt::print("{}", printable(groupings_text(joined(model.graph))));
    return kDone;
  }
  const Graph graph = optimized(model.graph, [&](const GraphPass& pass, const Graph& after) {
    if (options.print_after == pass.name) fmt::print("{}", printable(to_string(after)));
  });
  const std::vector<NetworkTask> tasks = network_tasks(graph);
  note_missing_operators(model);
  if (!options.print_after.empty()) return kDone;
  if (options.tasks) {
    print_json(tasks_json(tasks));
  } else if (options.common.json) {
    print_json(model_json(path, model, graph, tasks));
  } else {
    print_text(path, model, graph, tasks);
  }
  return kDone;
}

}  // namespace

void add_model(CommandLine& line, Action& action) {
  auto options = std::make_shared<ModelCommandOptions>();
  Command command = line.add_command("model", "show the kernels of an ONNX model");
  command.add_option("model", options->common.workload, "a file that ends in .onnx").value_name("MODEL").required();
  add_model_options(command, options->model);
  add_json(command, options->common);
  command.add_flag("--tasks", options->tasks, "print the workloads of its kernels, as tune --file reads them");
  command.add_flag("--groupings", options->groupings, "print which kernels may be made in another way");
  command.add_option("--print-after", options->print_after, "print the graph after this pass")
      .value_name("PASS")
      .one_of(pass_names());
  command.on_chosen([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace nestwright::cli
