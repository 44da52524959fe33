// Copies of the buffers of a call, through which calls rotate, so that none finds its data in the caches.
// Thread rule: one thread at a time. Unit: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "measure/process/guarded_region.h"

namespace nestwright {

/// The number of copies of `bytes` of data that are together twice as large as the last cache; at least two.
std::int64_t copies_beyond_cache(std::int64_t bytes, std::int64_t last_cache_bytes);

/// Copies of one buffer, each at the start of a page.
class BufferCopies {
 public:
  /// Ensures that there are at least `copies`. Returns whether they are new, with the contents of `original`.
  bool provide(std::int64_t copies, std::span<const std::byte> original);
  /// Overwrites the first `copies` with the contents of `original`, which may have another size than before.
  void refill(std::int64_t copies, std::span<const std::byte> original);
  void fill(unsigned char byte);
  std::byte* at(std::int64_t copy) const;

 private:
  std::optional<GuardedRegion> memory_;
  std::int64_t copies_ = 0, stride_ = 0;
};

}  // namespace nestwright
