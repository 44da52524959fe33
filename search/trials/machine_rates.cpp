#include "search/trials/machine_rates.h"

#include <algorithm>
#include <utility>

#include "lookup/task_key.h"
#include "target/description/host.h"
#include "target/measured/machine_limits.h"
#include "target/measured/peak.h"

namespace nestwright {
namespace {

constexpr double kLimits_s = 0.04;  // for measuring the machine's highest rates
// A first trial is two checked calls, one that is not timed and a reading, at half of the machine's highest rates.
constexpr double kFirstCalls = 4, kUsualShare = 0.5;
constexpr double kHandledBytes_s = 1e9;  // tensors that the first trial fills and compares
constexpr double kNearRoof = 0.7;        // share of the roofline above which the rates are measured again
constexpr int kMaxNearRoof = 5;

}  // namespace

MachineRates::MachineRates(const TaskContext& context, TuningLog& log, Measure measure)
    : context_(context), log_(log), measure_(std::move(measure)) {
  if (context_.target().device != DeviceKind::kCpu) return;
  rates_.product_scale = measure_peak_scale(context_.definition().args.front().dtype());
  raise();
}

void MachineRates::raise() {
  if (context_.target().device != DeviceKind::kCpu) return;
  // On as many threads as the task has, since more threads could reach more.
  const int threads = context_.target().threads;
  const MachineLimits measured = measure_ ? measure_(threads) : measure_machine_limits(threads, kLimits_s);
  const MachineLimits limits = log_.raise_limits(limits_key(context_.key().machine, threads), measured);
  // Without fused multiply-adds, the loop that measures the peak is slower than separate, parallel operations can be.
  if (host_isa() >= CpuIsa::kAvx2) rates_.fma_gflops = limits.fma_gflops;
  rates_.read_gb_s = limits.read_gb_s;
}

double MachineRates::first_calls_s() const {
  return kFirstCalls / kUsualShare * 1e-9 *
         least_time_ns({context_.definition().flops / 2, context_.definition().bytes, 0}, rates_);
}

double MachineRates::first_trial_s() const {
  const double calls_s = first_calls_s();
  return calls_s == 0 ? 0 : calls_s + context_.definition().bytes / kHandledBytes_s;
}

std::optional<double> MachineRates::roofline_share(const LeastWork& work, double ns) {
  if (least_ns(work) == 0) return std::nullopt;
  const auto share = [&] { return std::min(1.0, least_ns(work) / ns); };
  if (share() > kNearRoof && near_roof_ < kMaxNearRoof) {
    ++near_roof_;
    raise();
  }
  return share();
}

}  // namespace nestwright
