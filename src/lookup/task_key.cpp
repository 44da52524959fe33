#include "lookup/task_key.h"

#include <fmt/format.h>

#include "codegen/backend.h"
#include "nestwright/device.h"
#include "nestwright/template.h"
#include "target/description/former_target.h"
#include "target/description/machine.h"

namespace nestwright {

WorkloadKey workload_key(const Workload& workload) {
  const Operator& op = *workload.op;
  WorkloadKey key{.text = workload.str(), .op = op.name, .flops = workload.definition->flops};
  for (const OperatorParameter& parameter : op.parameters) {
    const bool is_number = !parameter.default_value.empty() && !parameter.default_from;
    if (parameter.kind == OperatorParameter::Kind::kSize && is_number) {
      key.defaults.push_back({parameter.name, parameter.default_value, true});
    }
    for (const auto& [name, value, is_default] : workload.parameters) {
      if (name != parameter.name) continue;
      if (parameter.kind == OperatorParameter::Kind::kType && key.dtype.empty()) key.dtype = value;
      if (!is_default) key.parameters.push_back({name, value, parameter.kind == OperatorParameter::Kind::kSize});
    }
  }
  return key;
}

std::string machine_of(const Target& target) {
  std::string machine = Machine::host().fingerprint();
  if (target.device == DeviceKind::kCpu) return machine;
  const DeviceListing listing = list_devices(target.device);
  if (listing.devices.empty()) return machine;
  return fmt::format("{}; {}", machine, listing.devices.front().str());
}

std::string limits_key(const std::string& machine, int threads) {
  return fmt::format("{}; threads {}", machine, threads);
}

std::string caches_of(const Task& task) {
  // The calls of a sample on a device cycle through more tensors than its cache holds.
  return cache_state_name(task.target.device == DeviceKind::kCpu ? task.caches : CacheState::kCold);
}

TaskKey task_key(const Task& task) {
  const std::optional<Target> former = former_target(task.target);
  return {.workload = workload_key(task.workload),
          .target = task.target.str(),
          .threads = task.target.threads,
          .machine = machine_of(task.target),
          .backend = backend_version(task.target.device),
          .cache = caches_of(task),
          .former_target = former ? former->str() : ""};
}

}  // namespace nestwright
