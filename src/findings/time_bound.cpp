#include "findings/time_bound.h"

#include <algorithm>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr double kBinds = 0.5;  // share of the time from which on a resource is what bounds it

}  // namespace

const char* bound_name(BoundBy by) {
  switch (by) {
    case BoundBy::kArithmetic:
      return "arithmetic";
    case BoundBy::kBandwidth:
      return "bandwidth";
    case BoundBy::kLatency:
      return "latency";
    case BoundBy::kUnknown:
      return "unknown";
  }
  throw InternalError("internal error: bound of a time out of range");
}

double TimeBound::rest_ns() const { return std::max(0.0, time_ns - std::max(arithmetic_ns, traffic_ns) - start_ns); }

double TimeBound::possible_speedup() const {
  const double least_ns = std::max(arithmetic_ns, traffic_ns) + start_ns;
  return least_ns > 0 ? std::max(1.0, time_ns / least_ns) : 0;
}

TimeBound time_bound(const KernelWork& work, double ns, const RooflineRates& rates) {
  check(ns > 0, "a time that is bounded is not positive");
  TimeBound bound;
  bound.time_ns = ns;
  if (rates.peak_gflops > 0) bound.arithmetic_ns = work.flops / rates.peak_gflops;
  if (rates.read_gb_s > 0) bound.traffic_ns = work.bytes / rates.read_gb_s;
  bound.start_ns = rates.start_ns;
  const double most = std::max(bound.arithmetic_ns, bound.traffic_ns);
  if (most == 0) return bound;
  if (most <= kBinds * ns) {
    bound.by = rates.is_faster_level ? BoundBy::kUnknown : BoundBy::kLatency;
  } else {
    bound.by = bound.arithmetic_ns >= bound.traffic_ns ? BoundBy::kArithmetic : BoundBy::kBandwidth;
  }
  return bound;
}

}  // namespace nestwright
