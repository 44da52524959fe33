// A small network whose kernels were tuned for a few trials.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "graph/passes/passes.h"
#include "nestwright/model/network.h"
#include "nestwright/text_operator.h"
#include "nestwright/tune.h"
#include "support/os/scratch_folder.h"

namespace nestwright {

/// Two products of matrices with different sizes.
class TunedNetwork : public ::testing::Test {
 protected:
  void SetUp() override { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  static Target target() {
    Target made = Target::host();
    made.threads = 1;
    return made;
  }

  static ValueId layer(Graph& graph, ValueId x, std::int64_t in, std::int64_t out) {
    const TensorType type{kFloat32, {in, out}};
    const std::vector<float> values(static_cast<std::size_t>(type.elements()), 0.25F);
    return graph.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", x}, {"W", graph.add_constant(type, values)}});
  }
  static Graph products() {
    Graph graph;
    const ValueId x = graph.add_input("x", {kFloat32, {24, 64}});
    graph.add_output("y", layer(graph, layer(graph, x, 64, 96), 96, 48));
    return graph;
  }

  void tune(const std::vector<std::string>& workloads, std::int64_t trials) {
    std::vector<ListedTask> tasks;
    for (const std::string& workload : workloads) {
      tasks.push_back({workload, TaskContext(Task{workload_of(workload), target(), CacheState::kStream}), 1});
    }
    SessionOptions options;
    options.budget.trials = trials;
    options.effort = Effort::kQuick;
    options.finalists = 2;
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
    tune_tasks(tasks, log, options);
  }
  static std::vector<std::string> workloads_of(const Graph& kernels) {
    std::vector<std::string> workloads;
    for (const NetworkTask& task : network_tasks(kernels)) workloads.push_back(task.workload);
    return workloads;
  }

  const ScratchFolder folder_{"tuned-network"};
  const std::string path_ = folder_.path() + "/log.db";
};

}  // namespace nestwright
