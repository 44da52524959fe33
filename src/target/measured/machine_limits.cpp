#include "target/measured/machine_limits.h"

#include <algorithm>

#include "target/description/host.h"
#include "target/measured/peak.h"

namespace nestwright {

MachineLimits highest(const MachineLimits& a, const MachineLimits& b) {
  return {std::max(a.fma_gflops, b.fma_gflops), std::max(a.read_gb_s, b.read_gb_s)};
}

MachineLimits measure_machine_limits(int threads, double seconds) {
  // Half of L1, so that other data there does not evict it; the smallest L1 of any x86-64 is 16 KiB.
  constexpr std::int64_t kSmallestL1Bytes = 16 << 10;
  const std::int64_t working_set = std::max(host_caches().l1d, kSmallestL1Bytes) / 2;
  return {measure_fma_peak(threads, seconds / 2), measure_read_bandwidth(working_set, seconds / 2, threads)};
}

}  // namespace nestwright
