#include "bench/figures/tunings/fidelity_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "measure/race/disturbance_gate.h"
#include "measure/race/timing.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

// Their number is coprime to the distance between loaded tunings, so that every workload is loaded in turn.
constexpr std::array kWorkloads = {
    "matmul m=512 n=512 k=512",
    "matmul m=49 n=49 k=32",
    "softmax rows=1000 columns=1000",
    "matmul m=128 n=3072 k=768",
    "elementwise function=gelu shape=512x512",
    "matmul m=255 n=255 k=255",
    "transpose rows=1024 columns=768",
    "matmul m=1 n=768 k=768",
    "layer_norm rows=256 columns=768",
    "matmul m=64 n=64 k=64",
    "reduce function=sum shape=1024x1024 axes=1",
    "matmul m=128 n=768 k=768 epilogue=bias_gelu",
    "elementwise function=add shape=4096x1024",
    "matmul m=128 n=128 k=64 batch=12",
    "matmul m=256 n=256 k=256 tb=1",
    "broadcast function=add_relu rows=128 columns=3072",
    "matmul m=256 n=256 k=256 dtype=float64",
    "reduce function=max shape=768x1024 axes=0",
    "matmul m=384 n=64 k=384 ta=1",
    "softmax rows=64 columns=4096",
    "matmul m=100 n=1000 k=10",
};

/// Whether two readings of a sentinel agree; true where one was not taken.
bool are_alike(double a_ns, double b_ns, double tolerance) {
  return a_ns <= 0 || b_ns <= 0 || std::max(a_ns / b_ns, b_ns / a_ns) <= 1 + tolerance;
}

}  // namespace

std::vector<Tuning> plan_fidelity(int kernels, int loaded, double seconds, CacheState caches) {
  if (loaded > kernels) throw UsageError(fmt::format("{} of {} kernels cannot be loaded: give fewer", loaded, kernels));
  const int workloads = static_cast<int>(kWorkloads.size());
  std::vector<Tuning> plan;
  int loads = 0;
  for (int i = 0; i < kernels; ++i) {
    Tuning tuning{.workload = kWorkloads[static_cast<std::size_t>(i % workloads)],
                  .threads = 1 + i / workloads % 2,
                  .seconds = seconds,
                  .seed = static_cast<std::uint64_t>(1 + i / (2 * workloads)),
                  .caches = caches};
    if ((i + 1) * loaded / kernels > loads) tuning.load = loads++ % 2 == 0 ? LoadKind::kCore : LoadKind::kMemory;
    plan.push_back(std::move(tuning));
  }
  return plan;
}

Fidelity fidelity_of(const TunedConfig& reported, const ExportedTiming& timing) {
  if (timing.samples_ns.empty() || !timing.disturbance.empty()) return Fidelity::kNotJudged;
  const GateOptions gate;
  if (!are_alike(timing.fma_ns, reported.fma_ns, gate.fma_tolerance)) return Fidelity::kNotJudged;
  if (!are_alike(timing.walk_ns, reported.walk_ns, gate.walk_tolerance)) return Fidelity::kNotJudged;
  const double median_ns = median_interval(timing.samples_ns).median;
  return reported.low_ns <= median_ns && median_ns <= reported.high_ns ? Fidelity::kMet : Fidelity::kMissed;
}

}  // namespace nestwright::bench
