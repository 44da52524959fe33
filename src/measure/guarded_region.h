// Memory between two guards, in which a buffer is placed so that reading or writing past its end, or before its start,
// is a fault: first with its end at the upper guard, then with its start at the lower one. What is left of the pages on
// the other side is filled with a canary, which is also what poisons outputs: all bytes 0xff, not-a-number in every
// floating type. Thread rule: one thread at a time. Unit: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nestwright {

enum class Placement : std::uint8_t { kAtEnd = 0, kAtStart = 1 };

class GuardedRegion {
 public:
  static constexpr unsigned char kCanary = 0xff;

  /// Bytes of whole pages that hold `bytes`, at least one page.
  static std::int64_t padded(std::int64_t bytes);
  /// Where in padded(bytes) a buffer begins: at the end it keeps no more alignment than its size has, which is its
  /// elements' for a tensor and 64 for a workspace.
  static std::int64_t offset(std::int64_t bytes, Placement placement);

  /// Fresh memory for a buffer of that size. Throws Error where the machine has not got it.
  static GuardedRegion writable(std::int64_t bytes);
  /// padded(bytes) of a file, from `file_offset` on, which a kernel can only read.
  static GuardedRegion read_only(std::int64_t bytes, int fd, std::int64_t file_offset);

  GuardedRegion(GuardedRegion&& other) noexcept;
  GuardedRegion& operator=(GuardedRegion&& other) noexcept;
  ~GuardedRegion();

  void* buffer(Placement placement) const { return data_ + offset(bytes_, placement); }
  std::int64_t bytes() const { return bytes_; }
  /// Fills buffer and gaps with the canary. Requires writable().
  void poison();
  /// True where the gaps still hold the canary.
  bool gaps_intact(Placement placement) const;

  /// Which side of this region `address` is beyond, if it lies in one of its guards or in what it may not write.
  enum class Fault : std::uint8_t { kElsewhere, kBeforeStart, kPastEnd, kInside };
  Fault classify(const void* address) const;  // async-signal-safe

 private:
  GuardedRegion(std::int64_t bytes, int fd, std::int64_t file_offset);

  char* mapping_ = nullptr;  ///< guard, data, guard
  char* data_ = nullptr;
  std::int64_t bytes_ = 0, guard_ = 0;
};

}  // namespace nestwright
