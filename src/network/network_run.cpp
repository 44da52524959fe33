#include "network/network_run.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <optional>

#include "nestwright/error.h"
#include "runtime/awake_threads.h"

namespace nestwright {
namespace {

void check_argument(const std::string& name, const TensorType& expected, const ArrayRef& given) {
  const TensorType type{given.type, {given.shape.begin(), given.shape.end()}};
  if (type == expected && given.strides.empty() && given.data != nullptr) return;
  throw UsageError(fmt::format("{} is {}{}: give a compact array of the type {}", name, type.str(),
                               given.strides.empty() ? "" : " with strides", expected.str()));
}

/// Whether the bytes of two arrays, which are compact, have some in common.
bool overlap(const ArrayRef& a, const TensorType& type_of_a, const ArrayRef& b, const TensorType& type_of_b) {
  const auto* const first = static_cast<const std::byte*>(a.data);
  const auto* const second = static_cast<const std::byte*>(b.data);
  return std::less<>()(first, second + type_of_b.size_bytes()) && std::less<>()(second, first + type_of_a.size_bytes());
}

}  // namespace

NetworkRun::NetworkRun(const CompiledNetwork& compiled, const Graph& graph) : compiled_(compiled) {
  for (const GraphPort& port : graph.inputs()) {
    input_types_.push_back(graph.type(port.value));
    names_.push_back(port.name);
  }
  for (const GraphPort& port : graph.outputs()) {
    output_types_.push_back(graph.type(port.value));
    names_.push_back(port.name);
  }
  arena_ = Array::empty(kUInt8, {static_cast<std::int64_t>(compiled.plan.arena_bytes)}, {.huge_pages = true});
  for (const NetworkKernel& kernel : compiled.kernels) {
    if (pool_ == nullptr) pool_ = make_pool(PoolKind::kSpin, kernel.task.target.threads);
    const std::shared_ptr<LoadedObject> code = load_object(kernel.object);
    kernels_.emplace_back(reinterpret_cast<nestwright_kernel>(code->entry()), kernel.object.workspace, pool_, code);
  }
}

void* NetworkRun::address(const StepBuffer& buffer, std::span<const ArrayRef> inputs,
                          std::span<const ArrayRef> outputs) {
  // Kernels do not write their inputs.
  auto* const weights = static_cast<std::byte*>(const_cast<void*>(compiled_.weights.data()));
  switch (buffer.in) {
    case StepBuffer::In::kInput:
      return static_cast<std::byte*>(inputs[buffer.number].data) + buffer.offset;
    case StepBuffer::In::kOutput:
      return static_cast<std::byte*>(outputs[buffer.number].data) + buffer.offset;
    case StepBuffer::In::kArena:
      return static_cast<std::byte*>(arena_.data()) + buffer.offset;
    case StepBuffer::In::kWeights:
      return weights + buffer.offset;
    case StepBuffer::In::kNone:
      break;
  }
  return nullptr;
}

void NetworkRun::check_output(std::size_t number, std::span<const ArrayRef> inputs,
                              std::span<const ArrayRef> outputs) const {
  const std::string& name = names_[inputs.size() + number];
  if (!outputs[number].writable) throw UsageError(fmt::format("the output {} is read-only memory", name));
  const auto refuse_overlap = [&](const std::string& other) {
    throw UsageError(fmt::format("the output {} overlaps {}: give memory of its own", name, other));
  };
  const TensorType& type = output_types_[number];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (overlap(outputs[number], type, inputs[i], input_types_[i])) refuse_overlap(names_[i]);
  }
  for (std::size_t o = 0; o < number; ++o) {
    if (overlap(outputs[number], type, outputs[o], output_types_[o])) refuse_overlap(names_[inputs.size() + o]);
  }
}

void NetworkRun::run_steps(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs,
                           const AfterStep& after) {
  std::optional<AwakeThreads> awake;
  if (pool_ != nullptr) awake.emplace(*pool_);
  std::vector<void*> buffers;
  for (std::size_t s = 0; s < compiled_.steps.size(); ++s) {
    const CompiledStep& step = compiled_.steps[s];
    buffers.clear();
    for (const StepBuffer& buffer : step.buffers) buffers.push_back(address(buffer, inputs, outputs));
    check(kernels_[step.kernel].call(buffers) == 0, "a kernel gave an error back");
    if (after) after(s, buffers);
  }
}

void NetworkRun::operator()(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs,
                            const AfterStep& after) {
  if (inputs.size() != input_types_.size() || outputs.size() != output_types_.size()) {
    throw UsageError(fmt::format("{} inputs and {} outputs are given, of {} and {}", inputs.size(), outputs.size(),
                                 input_types_.size(), output_types_.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) check_argument(names_[i], input_types_[i], inputs[i]);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    check_argument(names_[inputs.size() + o], output_types_[o], outputs[o]);
    check_output(o, inputs, outputs);
  }
  run_steps(inputs, outputs, after);
  for (const CompiledCopy& copy : compiled_.copies) {
    std::memcpy(address(copy.to, inputs, outputs), address(copy.from, inputs, outputs), copy.bytes);
  }
}

}  // namespace nestwright
