// Checksums of a result that was found right, by which later calls of the kernel are held against it: a race between
// threads need not show in the calls that were checked. One slice of the result at a time, in turn, so that looking
// costs some 50 us whatever its size. Private to measure/. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace nestwright {

/// Of any bytes; depends on their order.
std::uint64_t checksum(std::span<const std::byte> bytes);

class OutputChecksums {
 public:
  using Outputs = std::span<const std::span<const std::byte>>;

  /// Bytes offset .. offset + bytes - 1 of output number `output`.
  struct Slice {
    std::size_t output = 0, offset = 0, bytes = 0;
  };

  /// Of slices of a mebibyte.
  OutputChecksums() = default;
  /// Of slices of at most so many bytes.
  explicit OutputChecksums(std::size_t slice_bytes) : slice_bytes_(slice_bytes) {}

  /// Of what lies there now.
  void take(Outputs outputs);
  /// Of outputs of so many bytes, which lie where only `sum` reads them: gives the checksum of a slice.
  void take(std::span<const std::size_t> bytes, const std::function<std::uint64_t(const Slice&)>& sum);
  bool are_known() const { return !sums_.empty(); }
  /// The slice to look at. Requires known checksums.
  Slice next() const;
  /// Whether next(), which now holds these bytes, is what it was; then goes on to the slice behind it.
  bool next_is_unchanged(std::span<const std::byte> bytes);
  /// The same of a slice that now has this checksum.
  bool next_is_unchanged(std::uint64_t sum);

 private:
  struct Sum {
    Slice slice;
    std::uint64_t value = 0;
  };
  std::size_t slice_bytes_ = std::size_t{1} << 20;
  std::vector<Sum> sums_;  ///< one output after the other
  std::size_t next_ = 0;
};

}  // namespace nestwright
