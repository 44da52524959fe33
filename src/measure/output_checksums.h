// Checksums of a result that was found right, by which later calls of the kernel are held against it: a race between
// threads need not show in the calls that were checked. One slice of the result at a time, in turn, so that looking
// costs some 50 us whatever its size. Private to measure/. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestwright {

/// Of any bytes; depends on their order.
std::uint64_t checksum(std::span<const std::byte> bytes);

class OutputChecksums {
 public:
  using Outputs = std::span<const std::span<const std::byte>>;

  /// Of what lies there now.
  void take(Outputs outputs);
  bool are_known() const { return !sums_.empty(); }
  /// Whether the next slice is what it was. Requires known checksums of outputs of these sizes.
  bool next_is_unchanged(Outputs outputs);

 private:
  std::vector<std::uint64_t> sums_;  ///< by slice, one output after the other
  std::size_t next_ = 0;
};

}  // namespace nestwright
