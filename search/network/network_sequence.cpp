#include "search/network/network_sequence.h"

#include <unistd.h>

#include "graph/seeded_inputs.h"
#include "nestwright/error.h"
#include "support/os/descriptors.h"

namespace nestwright {
namespace {

constexpr std::int64_t kAlignment = 64;

/// Places memory one after the other.
class Layout {
 public:
  std::int64_t add(std::size_t bytes) {
    const std::int64_t offset = bytes_;
    bytes_ = (bytes_ + static_cast<std::int64_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
    return offset;
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

void write_at(int fd, const Array& array, std::int64_t offset) {
  if (write_all_at(fd, array.data(), array.size_bytes(), offset) != 0) {
    throw Error("there is no memory for the weights of the network: free some");
  }
}

}  // namespace

NetworkSequence sequence_of(const CompiledNetwork& network, const Graph& graph) {
  NetworkSequence made{{}, make_memory_file("nestwright-network")};
  CallSequence& sequence = made.setup.sequence;
  made.setup.threads = network.kernels.empty() ? 1 : network.kernels.front().task.target.threads;

  Layout data, scratch;
  const std::int64_t weights = data.add(network.weights.size_bytes());
  write_at(made.data.get(), network.weights, weights);
  std::vector<std::int64_t> inputs, outputs;
  for (const Array& input : seeded_inputs(graph)) {
    inputs.push_back(data.add(input.size_bytes()));
    write_at(made.data.get(), input, inputs.back());
  }
  const std::int64_t arena = scratch.add(network.plan.arena_bytes);
  for (const GraphPort& output : graph.outputs()) outputs.push_back(scratch.add(graph.type(output.value).size_bytes()));
  sequence.data_bytes = data.bytes();
  sequence.scratch_bytes = scratch.bytes();
  if (ftruncate(made.data.get(), sequence.data_bytes) != 0) throw Error("there is no memory for the network's weights");

  const auto buffer_of = [&](const StepBuffer& buffer) -> SequenceBuffer {
    const auto offset = static_cast<std::int64_t>(buffer.offset);
    switch (buffer.in) {
      case StepBuffer::In::kInput:
        return {SequenceBuffer::In::kData, inputs[buffer.number] + offset};
      case StepBuffer::In::kOutput:
        return {SequenceBuffer::In::kScratch, outputs[buffer.number] + offset};
      case StepBuffer::In::kArena:
        return {SequenceBuffer::In::kScratch, arena + offset};
      case StepBuffer::In::kWeights:
        return {SequenceBuffer::In::kData, weights + offset};
      case StepBuffer::In::kNone:
        break;
    }
    return {};
  };
  for (const NetworkKernel& kernel : network.kernels) sequence.kernels.push_back(kernel.object);
  for (std::size_t s = 0; s < network.steps.size(); ++s) {
    std::vector<SequenceCall>& step = sequence.steps.emplace_back();
    const auto add = [&](const CompiledStep& compiled) {
      SequenceCall& call = step.emplace_back();
      call.kernel = static_cast<std::int64_t>(compiled.kernel);
      for (const StepBuffer& buffer : compiled.buffers) call.buffers.push_back(buffer_of(buffer));
    };
    if (network.alternatives.empty()) {
      add(network.steps[s]);
    } else {
      for (const CompiledStep& alternative : network.alternatives[s]) add(alternative);
    }
  }
  return made;
}

}  // namespace nestwright
