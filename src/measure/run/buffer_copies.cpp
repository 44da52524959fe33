#include "measure/run/buffer_copies.h"

#include <algorithm>
#include <cstring>

namespace nestwright {

std::int64_t copies_beyond_cache(std::int64_t bytes, std::int64_t last_cache_bytes) {
  return std::max<std::int64_t>(2, (2 * last_cache_bytes + bytes - 1) / bytes);
}

bool BufferCopies::provide(std::int64_t copies, std::span<const std::byte> original) {
  if (copies <= copies_) return false;
  refill(copies, original);
  return true;
}

void BufferCopies::refill(std::int64_t copies, std::span<const std::byte> original) {
  stride_ = GuardedRegion::padded(static_cast<std::int64_t>(original.size()));
  if (!memory_ || memory_->bytes() < copies * stride_) {
    memory_.reset();  // before there are two
    memory_ = GuardedRegion::writable(copies * stride_);
  }
  copies_ = copies;
  for (std::int64_t c = 0; c < copies; ++c) std::memcpy(at(c), original.data(), original.size());
}

void BufferCopies::fill(unsigned char byte) { std::memset(at(0), byte, static_cast<std::size_t>(copies_ * stride_)); }

std::byte* BufferCopies::at(std::int64_t copy) const {
  return static_cast<std::byte*>(memory_->buffer(Placement::kAtStart)) + copy * stride_;
}

}  // namespace nestwright
