// Which templates serve a workload on a target.
#include <algorithm>

#include "nestwright/error.h"
#include "nestwright/template.h"

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

std::string kernel_name(const Workload& workload) {
  const std::string& name = workload.op->name;
  const bool is_expression = name.find('[') != std::string::npos;  // the names of other operators are identifiers
  return is_expression ? "expression" : name;
}

const Template* Operator::find_template(std::string_view template_name) const {
  const auto found = std::find_if(templates.begin(), templates.end(),
                                  [&](const Template& candidate) { return candidate.name == template_name; });
  return found == templates.end() ? nullptr : &*found;
}

std::vector<const Template*> templates_for(const Operator& op, DeviceKind device) {
  std::vector<const Template*> found;
  for (const Template& candidate : op.templates) {
    if (candidate.is_for(device)) found.push_back(&candidate);
  }
  if (found.empty()) {
    throw UsageError("there is no template of " + op.name + " for " + device_name(device) +
                     "; use another target (the command `templates` lists what there is)");
  }
  return found;
}

std::vector<const Template*> templates_for(const Workload& workload, const Target& target, std::string_view only) {
  std::vector<const Template*> serving;
  std::string reasons, names;
  for (const Template* candidate : templates_for(*workload.op, target.device)) {
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
    throw UsageError("there is no template '" + std::string(only) + "' of " + workload.op->name + " for " +
                     device_name(target.device) + ": use one of " + names);
  }
  if (serving.empty()) {
    throw UsageError("no template serves " + workload.str() + " on " + target.str() + " (" + reasons +
                     "): change the workload or the target");
  }
  return serving;
}

}  // namespace nestwright
