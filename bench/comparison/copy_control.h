// The bandwidth that a workload is held against: a copy that moves as many bytes as its tensors have, half of them read
// and half written, over and over, with the same threads, pages and caches.
// Thread rule: one thread at a time. Units: bytes, GB/s.
#pragma once

#include <cstdint>

#include "bench/comparison/buffers.h"

namespace nestwright::bench {

class CopyControl {
 public:
  /// Makes the buffers and finds out whether memcpy or stores that go round the caches are faster here.
  CopyControl(std::int64_t bytes, int threads, Pages pages, Caches caches);

  /// Read plus written, by the faster way. Takes about 10 ms.
  double measure_gb_s();

 private:
  double time_ns(std::int64_t rounds, bool streaming);

  std::int64_t half_;  ///< bytes read and bytes written in one round
  int threads_;
  Buffers buffers_;
  std::int64_t rounds_ = 1;  ///< that take about 10 ms
  bool streaming_ = false;
};

}  // namespace nestwright::bench
