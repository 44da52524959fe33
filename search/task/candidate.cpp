#include "search/task/candidate.h"

#include <algorithm>

#include "cost_model/device_features.h"
#include "support/base/caught_message.h"
#include "target/description/gpu_target.h"

namespace nestwright {

Lowered lower_point(const Task& task, const Point& point, const LowerOptions& options) {
  try {
    const Instance instance = instantiate(task, point);
    return lower(instance.schedule, instance.definition.args, task.target, kernel_name(task.workload), options);
  } catch (...) {
    return caught_message();
  }
}

namespace {

DeviceShape device_shape(const Target& target) {
  DeviceShape shape{.multiprocessors = target.multiprocessors, .shared_bytes = target.shared_bytes};
  if (const std::optional<MultiprocessorLimits> limits = multiprocessor_limits(target)) {
    shape.blocks = limits->blocks;
    shape.warps = limits->warps;
    shape.shared_bytes = limits->shared_bytes;
  }
  return shape;
}

}  // namespace

std::optional<Features> candidate_features(const Task& task, const KnobColumns& columns, const Point& point) {
  const Lowered lowered = lower_point(task, point);
  const auto* program = std::get_if<ir::Program>(&lowered);
  if (program == nullptr) return std::nullopt;
  const Target& target = task.target;
  Features features;
  program_features(*program, {target.l1d_bytes, target.l2_bytes, target.l3_bytes}, features);
  columns.append(point.config, features);
  if (target.device != DeviceKind::kCpu) device_features(*program, device_shape(target), features);
  if (target.device == DeviceKind::kCuda) append_unknown_resources(features);
  return features;
}

std::optional<DeviceResources> candidate_resources(const std::vector<KernelResources>& kernels) {
  const auto heaviest =
      std::max_element(kernels.begin(), kernels.end(), [](const KernelResources& a, const KernelResources& b) {
        return a.registers * a.threads < b.registers * b.threads;
      });
  if (heaviest == kernels.end()) return std::nullopt;
  return DeviceResources{static_cast<double>(heaviest->registers), static_cast<double>(heaviest->spill_bytes),
                         static_cast<double>(heaviest->shared_bytes), heaviest->occupancy};
}

}  // namespace nestwright
