// Memory between two guard areas, where a buffer can be placed so that any access past its end or before its start
// faults: first with its end at the upper guard, then with its start at the lower one. The rest of the pages on the
// other side is filled with a canary, which also poisons outputs: all bytes 0xff, NaN in every floating type.
// Thread rule: one thread at a time. Unit: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nestwright {

/// Where a buffer lies within the region.
enum class Placement : std::uint8_t { kAtEnd = 0, kAtStart = 1 };

class GuardedRegion {
 public:
  static constexpr unsigned char kCanary = 0xff;

  /// Returns the size of the whole pages that hold `bytes`, at least one page.
  static std::int64_t padded(std::int64_t bytes);
  /// Returns the offset of a buffer within padded(bytes). At the end a buffer is only as aligned as its size: to an
  /// element for a tensor, to 64 bytes for a workspace.
  static std::int64_t offset(std::int64_t bytes, Placement placement);

  /// Allocates memory for a buffer of that size. Throws Error if there is not enough.
  static GuardedRegion writable(std::int64_t bytes);
  /// Maps padded(bytes) of a file from `file_offset` on, read-only.
  static GuardedRegion read_only(std::int64_t bytes, int fd, std::int64_t file_offset);

  GuardedRegion(GuardedRegion&& other) noexcept;
  GuardedRegion& operator=(GuardedRegion&& other) noexcept;
  ~GuardedRegion();

  void* buffer(Placement placement) const { return data_ + offset(bytes_, placement); }
  std::int64_t bytes() const { return bytes_; }
  /// Fills buffer and gaps with the canary, or one of `parts` equal parts of them. Requires writable().
  void poison(std::int64_t part = 0, std::int64_t parts = 1);
  /// Whether the gaps still hold the canary.
  bool gaps_intact(Placement placement) const;

  /// Classifies a faulting `address` relative to this region: in the lower or upper guard, inside (where the region is
  /// read-only), or elsewhere.
  enum class Fault : std::uint8_t { kElsewhere, kBeforeStart, kPastEnd, kInside };
  Fault classify(const void* address) const;  // async-signal-safe

 private:
  GuardedRegion(std::int64_t bytes, int fd, std::int64_t file_offset);

  char* mapping_ = nullptr;  ///< guard, data, guard
  char* data_ = nullptr;
  std::int64_t bytes_ = 0, guard_ = 0;
};

}  // namespace nestwright
