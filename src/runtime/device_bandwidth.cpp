#include "runtime/device_bandwidth.h"

#include <algorithm>

namespace nestwright {

double measure_copy_bandwidth(Device& device) {
  constexpr int kSamples = 5;
  constexpr double kEnoughNs = 20e6;  // of one sample
  const DeviceInfo& info = device.info();
  const std::int64_t wanted = std::max<std::int64_t>(64 << 20, 4 * info.target.l2_bytes);
  const std::int64_t bytes = std::min(wanted, info.memory_bytes / 8);
  const DeviceMemoryPtr from = device.allocate(bytes), to = device.allocate(bytes);
  device.fill(*from, 0);
  const auto sample = [&](int copies) {
    return device.time_ns([&] {
      for (int i = 0; i < copies; ++i) device.copy(*from, *to);
    });
  };
  sample(1);  // the first copy touches the pages
  const int copies = std::clamp(static_cast<int>(kEnoughNs / std::max(sample(1), 1.0)), 1, 1000);
  double best = 0;
  for (int i = 0; i < kSamples; ++i) {
    best = std::max(best, 2.0 * static_cast<double>(bytes) * copies / sample(copies));
  }
  return best;  // bytes per nanosecond, which is GB/s
}

}  // namespace nestwright
