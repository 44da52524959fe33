#include "templates/registry.h"

#include <algorithm>
#include <sstream>

#include "space/nearest_name.h"
#include "support/error.h"
#include "templates/broadcast/broadcast.h"
#include "templates/conv2d/conv2d.h"
#include "templates/depthwise_conv2d/depthwise_conv2d.h"
#include "templates/elementwise/elementwise.h"
#include "templates/layer_norm/layer_norm.h"
#include "templates/matmul/cpu/gemv.h"
#include "templates/matmul/cpu/split_k.h"
#include "templates/matmul/matmul.h"
#include "templates/reduce/reduce.h"
#include "templates/scan/scan.h"
#include "templates/softmax/softmax.h"
#include "templates/transpose/transpose.h"

namespace nestwright {
namespace {

const char* device_name(DeviceKind device) {
  switch (device) {
    case DeviceKind::kCpu:
      return "the CPU";
    case DeviceKind::kCuda:
      return "CUDA";
    case DeviceKind::kOpenCl:
      return "OpenCL";
  }
  throw InternalError("unknown kind of device");
}

}  // namespace

const std::vector<Operator>& operators() {
  static const std::vector<Operator> list = {matmul_operator(),    elementwise_operator(), broadcast_operator(),
                                             reduce_operator(),    softmax_operator(),     layer_norm_operator(),
                                             transpose_operator(), conv2d_operator(),      depthwise_conv2d_operator(),
                                             scan_operator()};
  return list;
}

const std::vector<Template>& templates() {
  // Of one operator, the likely fastest first: its first guess serves where nothing was tuned.
  static const std::vector<Template> list = {
      matmul_amx_template(),      matmul_dot_template(),        matmul_convert_template(),
      matmul_gemv_template(),     matmul_cpu_template(),        matmul_split_k_template(),
      matmul_wgmma_template(),    matmul_mma_template(),        matmul_gpu_template(),
      elementwise_cpu_template(), broadcast_cpu_template(),     reduce_cpu_template(),
      softmax_cpu_template(),     layer_norm_cpu_template(),    transpose_cpu_template(),
      elementwise_gpu_template(), broadcast_gpu_template(),     reduce_gpu_template(),
      softmax_gpu_template(),     layer_norm_gpu_template(),    transpose_gpu_template(),
      conv2d_gpu_template(),      conv2d_gpu_direct_template(), depthwise_conv2d_gpu_template(),
      scan_gpu_template()};
  return list;
}

const Operator& find_operator(std::string_view name) {
  std::vector<std::string> names;
  for (const Operator& op : operators()) {
    if (op.name == name) return op;
    names.push_back(op.name);
  }
  const std::string meant = nearest_name(name, names);
  throw UsageError("there is no operator '" + std::string(name) + "'" +
                   (meant.empty() ? std::string() : "; did you mean '" + meant + "'") + "; the operators are " +
                   join_names(names));
}

Workload parse_workload(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string word;
  if (!(words >> word)) {
    throw UsageError("the workload is empty; write an operator and its parameters, as in matmul m=512 n=512 k=512");
  }
  return parse_workload(text, find_operator(word));
}

std::vector<const Template*> templates_for(std::string_view op, DeviceKind device) {
  std::vector<const Template*> found;
  for (const Template& candidate : templates()) {
    if (candidate.op.name == op && candidate.is_for(device)) found.push_back(&candidate);
  }
  if (found.empty()) {
    find_operator(op);
    throw UsageError("there is no template of " + std::string(op) + " for " + device_name(device) +
                     "; use another target (the command `templates` lists what there is)");
  }
  return found;
}

std::vector<const Template*> templates_for(const Workload& workload, const Target& target, std::string_view only) {
  std::vector<const Template*> serving;
  std::string reasons, names;
  for (const Template* candidate : templates_for(workload.op, target.device)) {
    names += (names.empty() ? "" : ", ") + candidate->name;
    if (!only.empty() && candidate->name != only) continue;
    const std::string reason = candidate->why_not ? candidate->why_not(workload, target) : std::string();
    if (reason.empty()) {
      serving.push_back(candidate);
    } else {
      reasons += (reasons.empty() ? "" : "; ") + candidate->name + ": " + reason;
    }
  }
  if (serving.empty() && reasons.empty()) {
    throw UsageError("there is no template '" + std::string(only) + "' of " + workload.op + " for " +
                     device_name(target.device) + ": use one of " + names);
  }
  if (serving.empty()) {
    throw UsageError("no template serves " + workload.str() + " on " + target.str() + " (" + reasons +
                     "): change the workload or the target");
  }
  return serving;
}

const Template* find_template(std::string_view name) {
  const auto found = std::find_if(templates().begin(), templates().end(),
                                  [&](const Template& candidate) { return candidate.name == name; });
  return found == templates().end() ? nullptr : &*found;
}

}  // namespace nestwright
