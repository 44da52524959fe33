#include "nestwright/model/network.h"

#include "graph/passes/passes.h"
#include "network/candidates.h"
#include "network/compiled_network.h"
#include "network/network_run.h"

namespace nestwright {

struct Network::State {
  CompiledNetwork compiled;
  NetworkRun run;

  State(CompiledNetwork made, const Graph& graph) : compiled(std::move(made)), run(compiled, graph) {}
};

Graph with_kernels(const Graph& graph) { return optimized(graph); }

Graph with_kernels(const Graph& graph, const Target& target, const TuningLog* log, CacheState caches) {
  return kernels_of_joined(joined(graph), target, log, caches);
}

Network::Network(const Graph& graph, const Target& target, const TuningLog* log, const NetworkOptions& options)
    : state_(std::make_unique<State>(compile_network(graph, target, log, "network", options), graph)) {}

Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

void Network::run(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs) { state_->run(inputs, outputs); }

std::size_t Network::arena_bytes() const { return state_->compiled.plan.arena_bytes; }
std::size_t Network::least_arena_bytes() const { return state_->compiled.plan.live_bytes; }
std::size_t Network::weight_bytes() const { return state_->compiled.weights.size_bytes(); }
std::size_t Network::kernels() const { return state_->compiled.kernels.size(); }
std::size_t Network::steps() const { return state_->compiled.steps.size(); }

}  // namespace nestwright
