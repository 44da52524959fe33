// The bandwidth that a workload is compared with: that of a copy of as many bytes as its tensors have, half of them
// read and half written, with the same threads, pages and caches.
// Thread rule: one thread at a time. Units: bytes, GB/s.
#pragma once

#include <cstdint>

#include "bench/comparison/timing/buffers.h"

namespace nestwright::bench {

class CopyControl {
 public:
  /// Allocates the buffers and determines whether memcpy or non-temporal stores are faster here.
  CopyControl(std::int64_t bytes, int threads, Pages pages, Caches caches);

  /// Bytes read plus bytes written per second, by the faster method. Takes about 10 ms.
  double measure_gb_s();

 private:
  double time_ns(std::int64_t rounds, bool streaming);

  std::int64_t half_;  ///< bytes read, and bytes written, in one round
  int threads_;
  Buffers buffers_;
  std::int64_t rounds_ = 1;  ///< in about 10 ms
  bool streaming_ = false;
};

}  // namespace nestwright::bench
