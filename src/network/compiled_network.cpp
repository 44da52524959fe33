#include "network/compiled_network.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>

#include "graph/evaluate.h"
#include "graph/program/node_form.h"
#include "kernel/has_parallel_loop.h"
#include "kernel/require_this_machine.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/text_operator.h"
#include "runtime/compiled_kernel.h"

namespace nestwright {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

void require_target(const Target& target) {
  if (target.device != DeviceKind::kCpu) throw UsageError("networks are compiled for CPUs only: give a CPU as target");
  require_this_machine(target);
}

NetworkKernel compile_kernel(const Task& task, Lookup found, const std::string& symbol) {
  const Instance instance = instantiate(*found.source, task.workload, task.target, found.config);
  const ir::Program loops = lower(instance.schedule, instance.definition.args, task.target, symbol, {.verify = true});
  NetworkKernel kernel{task, std::move(found), expand(loops, task.target, {.verify = true}), {}, false};
  kernel.object = compile_program(kernel.program, task.target, {.pipeline = Pipeline::kFinal});
  kernel.is_parallel = has_parallel_loop(kernel.program);
  return kernel;
}

/// The input in whose memory the kernel may write its only result.
std::optional<std::size_t> in_place_input(const NetworkKernel& kernel) {
  const Definition& definition = *kernel.task.workload.definition;
  if (definition.outputs().size() != 1) return std::nullopt;
  const int input = kernel.program.parameters[static_cast<std::size_t>(definition.inputs)].in_place_of;
  return input < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(input));
}

/// Throws InternalError if a buffer of the step is not aligned as its kernel reads it. The memory itself is.
void check_alignment(const CompiledStep& step, const ir::Program& program) {
  for (std::size_t i = 0; i < step.buffers.size(); ++i) {
    const auto alignment = static_cast<std::size_t>(program.parameters[i].buffer->alignment);
    check(step.buffers[i].offset % std::max<std::size_t>(alignment, 1) == 0, "buffers are aligned");
  }
}

/// Lays out the constants as the kernels read them.
class Weights {
 public:
  Weights(const Graph& graph, const std::vector<NetworkKernel>& kernels) : evaluator_(graph), kernels_(kernels) {
    for (const NetworkKernel& kernel : kernels) {
      preparations_.push_back(kernel.object.preparation.empty() ? nullptr : preparation_of(kernel));
    }
  }

  CompiledStep add(const GraphNode& node, const NetworkStep& step, std::size_t number) {
    const NetworkKernel& kernel = kernels_[number];
    CompiledStep compiled{number, label_or_op(node), {}};
    const std::vector<ir::Parameter>& parameters = kernel.program.parameters;
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
      compiled.buffers.push_back(parameters[i].is_constant ? StepBuffer{} : buffer_of(step.buffers[i]));
    }
    if (preparations_[number] != nullptr) add_prepared(step, compiled);
    return compiled;
  }

  StepBuffer buffer_of(const Place& place) {
    if (place.in == Place::In::kConstant) return {StepBuffer::In::kWeights, 0, offset_of(place.number)};
    if (place.in == Place::In::kArena) return {StepBuffer::In::kArena, 0, place.offset};
    const bool is_input = place.in == Place::In::kInput;
    return {is_input ? StepBuffer::In::kInput : StepBuffer::In::kOutput, place.number, place.offset};
  }

  Array finish() {
    Array all = Array::empty(kUInt8, {static_cast<std::int64_t>(size_)}, {.huge_pages = true});
    all.fill_bytes(0);
    for (const Part& part : parts_)
      std::memcpy(static_cast<std::byte*>(all.data()) + part.offset, part.data, part.bytes);
    return all;
  }

 private:
  struct Part {
    std::size_t offset;
    const void* data;
    std::size_t bytes;
  };

  static std::shared_ptr<CompiledKernel> preparation_of(const NetworkKernel& kernel) {
    const std::shared_ptr<LoadedObject> code = load_object(kernel.object);
    return std::make_shared<CompiledKernel>(reinterpret_cast<nestwright_kernel>(code->preparation()),
                                            kernel.object.workspace,
                                            make_pool(PoolKind::kSpin, kernel.task.target.threads), code);
  }

  std::size_t reserve(std::size_t bytes) { return std::exchange(size_, size_ + aligned(bytes)); }

  /// Where the elements of a constant lie, which are there once.
  std::size_t offset_of(ValueId value) {
    const auto known = offsets_.find(value);
    if (known != offsets_.end()) return known->second;
    const SharedArray array = evaluator_.get(value);
    const std::size_t offset = reserve(array->size_bytes());
    parts_.push_back({offset, array->data(), array->size_bytes()});
    return offsets_[value] = offset;
  }

  /// Runs the kernel's preparation on the constants of a step, once for each set of them.
  void add_prepared(const NetworkStep& step, CompiledStep& compiled) {
    const NetworkKernel& kernel = kernels_[compiled.kernel];
    std::vector<std::size_t> key{compiled.kernel};
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
      if (kernel.program.parameters[i].is_constant) key.push_back(step.buffers[i].number);
    }
    const auto [known, is_new] = prepared_of_.try_emplace(std::move(key));
    if (is_new) known->second = prepare(compiled.kernel, step);
    compiled.buffers.insert(compiled.buffers.end(), known->second.begin(), known->second.end());
  }

  std::vector<StepBuffer> prepare(std::size_t number, const NetworkStep& step) {
    const NetworkKernel& kernel = kernels_[number];
    std::vector<StepBuffer> buffers;
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
      const bool is_read = kernel.program.parameters[i].is_constant;
      // The preparation does not write its inputs.
      pointers.push_back(is_read ? const_cast<void*>(evaluator_.get(step.buffers[i].number)->data()) : nullptr);
    }
    for (const std::int64_t bytes : kernel.object.prepared_bytes) {
      prepared_.push_back(Array::empty(kUInt8, {bytes}));
      prepared_.back().fill_bytes(0);  // gaps between rows are not written
      pointers.push_back(prepared_.back().data());
      const std::size_t offset = reserve(static_cast<std::size_t>(bytes));
      parts_.push_back({offset, prepared_.back().data(), static_cast<std::size_t>(bytes)});
      buffers.push_back({StepBuffer::In::kWeights, 0, offset});
    }
    check(preparations_[number]->call(pointers) == 0, "a preparation gave an error back");
    return buffers;
  }

  GraphEvaluator evaluator_;
  const std::vector<NetworkKernel>& kernels_;
  std::vector<std::shared_ptr<CompiledKernel>> preparations_;  ///< null: the kernel has none
  std::map<ValueId, std::size_t> offsets_;
  std::map<std::vector<std::size_t>, std::vector<StepBuffer>> prepared_of_;  ///< by the kernel and the constants
  std::vector<Array> prepared_;
  std::vector<Part> parts_;
  std::size_t size_ = 0;
};

}  // namespace

CompiledNetwork compile_candidates(const Graph& graph, const Target& target,
                                   const std::vector<TaskCandidates>& candidates, const std::string& symbol,
                                   const NetworkOptions& options) {
  require_target(target);
  CompiledNetwork network;
  std::vector<std::size_t> first;  // kernel of each task
  std::vector<std::pair<const TaskCandidates*, const Lookup*>> kernels;
  for (const TaskCandidates& task : candidates) {
    first.push_back(kernels.size());
    for (const Lookup& lookup : task.lookups) kernels.emplace_back(&task, &lookup);
  }
  first.push_back(kernels.size());
  network.kernels.resize(kernels.size());
  std::mutex mutex;
  std::size_t done = 0;
  tbb::parallel_for(std::size_t{0}, kernels.size(), [&](std::size_t k) {
    const auto& [task, lookup] = kernels[k];
    network.kernels[k] = compile_kernel(task->context.task(), *lookup, fmt::format("{}_kernel{}", symbol, k));
    const std::scoped_lock lock(mutex);
    ++done;
    if (options.progress) options.progress(done, kernels.size());
  });

  network.plan = plan_network(graph, [&](std::size_t task) {
    const std::optional<std::size_t> input = in_place_input(network.kernels[first[task]]);
    for (std::size_t k = first[task]; k < first[task + 1]; ++k) {
      if (in_place_input(network.kernels[k]) != input) return std::optional<std::size_t>();
    }
    return input;
  });
  Weights weights(graph, network.kernels);
  const bool has_alternatives = kernels.size() > candidates.size();
  for (const NetworkStep& step : network.plan.steps) {
    std::vector<CompiledStep> alternatives;
    for (std::size_t k = first[step.task]; k < first[step.task + 1]; ++k) {
      alternatives.push_back(weights.add(graph.nodes()[step.node], step, k));
      check_alignment(alternatives.back(), network.kernels[k].program);
    }
    network.steps.push_back(alternatives.front());
    if (has_alternatives) network.alternatives.push_back(std::move(alternatives));
  }
  for (const NetworkCopy& copy : network.plan.copies) {
    network.copies.push_back({weights.buffer_of(copy.from), weights.buffer_of(copy.to), copy.bytes});
  }
  network.weights = weights.finish();
  return network;
}

CompiledNetwork compile_network(const Graph& graph, const Target& target, const TuningLog* log,
                                const std::string& symbol, const NetworkOptions& options) {
  require_target(target);
  return compile_candidates(graph, target, look_up_network(graph, target, log, options.caches), symbol, options);
}

}  // namespace nestwright
