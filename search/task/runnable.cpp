#include "search/task/runnable.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/backend.h"
#include "nestwright/error.h"
#include "nestwright/template.h"
#include "runtime/device_target.h"

namespace nestwright {
namespace {

/// Memory that tuning takes, relative to the tensors: the inputs of three sets, and their references and bounds as
/// doubles. For a product or an elementwise function of float32 this is 5 to 6 times the tensors.
constexpr double kCopies = 6;
/// The same of large tensors whose operator has references of samples (search/task/large_reference.h): three times the
/// tensors, and kSampleBytes.
constexpr double kLargeCopies = 3, kSampleBytes = 200e6;

const char* isa_name(CpuIsa isa) {
  switch (isa) {
    case CpuIsa::kX86_64:
      return "x86-64";
    case CpuIsa::kAvx2:
      return "avx2";
    case CpuIsa::kAvx512:
      return "avx512";
  }
  throw InternalError("unknown instruction set");
}

void require_features(const Target& target, const Machine& machine) {
  for (int i = 0; i < kCpuFeatures; ++i) {
    const auto feature = static_cast<CpuFeature>(i);
    if (!target.has(feature) || machine.has(name_of(feature))) continue;
    throw UsageError(fmt::format("this machine has no {}, which {} uses: tune with --target host or on another machine",
                                 name_of(feature), target.str()));
  }
}

}  // namespace

double tuning_bytes(const Workload& workload) {
  const double bytes = workload.definition->bytes;
  const double whole = kCopies * bytes;
  return workload.op->large.reference_at ? std::min(whole, kLargeCopies * bytes + kSampleBytes) : whole;
}

void require_runnable(const Task& task, const Machine& machine) {
  if (task.target.device == DeviceKind::kCpu && task.target.isa > machine.isa) {
    throw UsageError(fmt::format(
        "this machine cannot run {} code, its best is {}: tune with --target cpu,isa={} or on another machine",
        isa_name(task.target.isa), isa_name(machine.isa), isa_name(machine.isa)));
  }
  require_features(task.target, machine);
  if (task.target.device != DeviceKind::kCpu) require_device(task.target);
  if (const std::string reason = why_not_compile(task.target); !reason.empty()) throw UsageError(reason);
  backend_version(task.target.device);  // throws if its compiler is missing or cannot be used here
  const double needed = tuning_bytes(task.workload);
  if (needed > static_cast<double>(machine.memory_bytes)) {
    throw UsageError(
        fmt::format("tuning {} takes about {:.0f} GB of memory and this machine has {:.0f} GB: choose smaller sizes",
                    task.workload.str(), needed * 1e-9, static_cast<double>(machine.memory_bytes) * 1e-9));
  }
}

}  // namespace nestwright
