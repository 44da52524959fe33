// The definition and the reference of a workload, given its text.
#pragma once

#include <string>
#include <vector>

#include "nestwright/registry.h"

namespace nestwright {

inline Definition define(const std::string& text) {
  const Workload workload = parse_workload(text);
  return workload.op->define(workload);
}

inline Reference judge(const std::string& text, const HostTensors& inputs) {
  const Workload workload = parse_workload(text);
  return workload.op->reference(workload, inputs);
}

/// Requires constant extents.
inline std::vector<std::int64_t> shape_of(const Tensor& t) { return ir::constants_of(t.shape()); }

}  // namespace nestwright
