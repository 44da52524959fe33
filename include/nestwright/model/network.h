// Models as compiled networks: in this process, or as a library that does not depend on Nestwright.
//
//   const ImportedModel model = import_onnx("resnet50.onnx");
//   const Graph kernels = with_kernels(model.graph, Target::host(), &log);
//   Network network(kernels, Target::host(), &log);
//   network.run(inputs, outputs);
//   export_network(kernels, Target::host(), &log, {.directory = "resnet50", .name = "resnet50"});
//
// Each kernel has the best configuration of the database, the nearest one, or the default one. An exported library has
// a header, a static and a shared library, its source and objects, a file of weights, a manifest, a CMake package, and
// a self-test in C, which also prints the time of each kernel.
//
// Thread rule: a Network runs for one caller at a time; different ones run beside each other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/lookup.h"
#include "nestwright/model/graph.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// A graph that computes the same, of which each node that is neither a view nor computed from constants alone is a
/// kernel: its expression is the workload of a tuning task.
Graph with_kernels(const Graph& graph);

/// The same with the groupings and layouts that were the fastest for this target and state of the caches when the model
/// was tuned as a whole (`nestwright tune MODEL.onnx`). Those of with_kernels(graph) if `log` is null or has no
/// undisturbed record of the model. Throws LogError.
Graph with_kernels(const Graph& graph, const Target& target, const TuningLog* log,
                   CacheState caches = CacheState::kWarm);

/// A kernel of a graph, with all nodes that it computes.
struct NetworkTask {
  std::string workload;  ///< the canonical expression with its sizes (nestwright/text_operator.h)
  std::string label;     ///< that of the first of its nodes, and how often it occurs: "/layer1/conv2, 3x"
  std::string op;        ///< of the first of its nodes: "Conv+Relu"
  std::vector<std::size_t> nodes;
  double multiply_adds = 0;  ///< of one node
};

/// The tuning tasks of a graph of with_kernels(), in the order of their first nodes. Nodes that cost nothing, because
/// their tensors are placed in each other, have none.
std::vector<NetworkTask> network_tasks(const Graph& graph);

/// How kernels are compiled.
struct NetworkOptions {
  CacheState caches = CacheState::kWarm;  ///< of the tasks that are looked up
  /// Is told of each kernel that was compiled: how many of how many. Several threads call it, one at a time.
  std::function<void(std::size_t done, std::size_t of)> progress = {};
};

/// A compiled network of this process.
class Network {
 public:
  /// Compiles a graph of with_kernels() for a CPU, on all cores. `log` may be null. Throws UsageError if this machine
  /// cannot run the target's code, and as look_up() does; CompileError.
  Network(const Graph& graph, const Target& target, const TuningLog* log = nullptr, const NetworkOptions& options = {});
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  /// Takes an array for each input and output of the graph, in order. Outputs share memory with nothing else. Throws
  /// UsageError for one that does not have the type and shape, is not compact, or is an output that is read-only or
  /// overlaps another array.
  void run(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs);

  std::size_t arena_bytes() const;        ///< for the tensors between inputs and outputs
  std::size_t least_arena_bytes() const;  ///< the largest sum of the sizes of tensors that are needed at one time
  std::size_t weight_bytes() const;       ///< as the kernels read them
  std::size_t kernels() const;            ///< different ones
  std::size_t steps() const;              ///< calls of kernels in a run

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct NetworkExportOptions {
  std::string directory;   ///< created if it does not exist
  std::string name;        ///< of functions and files, a C identifier
  std::string model;       ///< what the header calls it; empty: the name
  bool embed = false;      ///< the weights are part of the library
  bool unchecked = false;  ///< the network is not run before it is written, and there is no self-test
  NetworkOptions compile = {};
};

struct NetworkExport {
  std::string name;
  std::vector<std::string> files;  ///< relative to the directory
  std::size_t arena_bytes = 0, least_arena_bytes = 0, weight_bytes = 0, library_bytes = 0;
  std::size_t kernels = 0, steps = 0;
  std::size_t tuned = 0;  ///< kernels that were tuned for their shape
  /// The largest error of an output on random inputs, as a share of its tolerance; absent: it was not run.
  std::optional<double> error_of_tolerance;
};

/// Compiles a graph of with_kernels(), checks it on random inputs against a computation in double precision, and writes
/// the library. Throws UsageError (a name that is illegal in C, a directory that cannot be written, no C compiler, a
/// target that this machine cannot run, a graph without outputs), CompileError, Error if the check fails, in which case
/// nothing is written.
NetworkExport export_network(const Graph& graph, const Target& target, const TuningLog* log,
                             const NetworkExportOptions& options);

}  // namespace nestwright

#pragma GCC visibility pop
