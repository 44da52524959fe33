#include <nlohmann/json.hpp>

#include "exporter/network/network_sources.h"
#include "nestwright/workload.h"

namespace nestwright {

std::string network_manifest(const ExportedNetwork& e) {
  using nlohmann::json;
  json tensors = json::array(), kernels = json::array(), steps = json::array();
  for (const NetworkTensor& tensor : e.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"parameter", tensor.parameter},
                       {"type", tensor.type.type.str()},
                       {"shape", tensor.type.shape},
                       {"role", tensor.is_input ? "input" : "output"}});
  }
  for (const NetworkKernel& kernel : e.network->kernels) {
    const BestRecord* const record = kernel.found.record ? &*kernel.found.record : nullptr;
    kernels.push_back({{"symbol", kernel.object.symbol},
                       {"workload", kernel.task.workload.str()},
                       {"template", kernel.found.source->name},
                       {"config", kernel.found.config.str()},
                       {"match", match_name(kernel.found.match)},
                       {"time_ns", record != nullptr ? json(record->timing.median_ns) : json(nullptr)}});
  }
  for (const CompiledStep& step : e.network->steps) {
    steps.push_back({{"label", step.label}, {"kernel", e.network->kernels[step.kernel].object.symbol}});
  }
  const json manifest = {{"nestwright", NESTWRIGHT_VERSION},
                         {"name", e.name},
                         {"model", e.model},
                         {"target", e.network->kernels.empty() ? "" : e.network->kernels.front().task.target.str()},
                         {"threads", e.threads()},
                         {"arena_bytes", e.network->plan.arena_bytes},
                         {"least_arena_bytes", e.network->plan.live_bytes},
                         {"weight_bytes", e.network->weights.size_bytes()},
                         {"tensors", tensors},
                         {"kernels", kernels},
                         {"steps", steps}};
  return manifest.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace nestwright
