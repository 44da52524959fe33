// Checksums of a result that was found right, with which the results of later calls are compared, because a race
// between threads may not show in the calls that were checked. Each comparison covers one slice, in rotation, so that
// it takes about 50 us whatever the size of the result. Private to measure/.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace nestwright {

/// Returns a checksum of the bytes that depends on their order.
std::uint64_t checksum(std::span<const std::byte> bytes);

class OutputChecksums {
 public:
  using Outputs = std::span<const std::span<const std::byte>>;

  /// Bytes offset .. offset + bytes - 1 of output number `output`.
  struct Slice {
    std::size_t output = 0, offset = 0, bytes = 0;
  };

  /// Uses slices of 1 MiB.
  OutputChecksums() = default;
  /// Uses slices of at most `slice_bytes`.
  explicit OutputChecksums(std::size_t slice_bytes) : slice_bytes_(slice_bytes) {}

  /// Computes the checksums of the current contents.
  void take(Outputs outputs);
  /// The same for outputs of these sizes that only `sum` can read: it returns the checksum of a slice.
  void take(std::span<const std::size_t> bytes, const std::function<std::uint64_t(const Slice&)>& sum);
  bool are_known() const { return !sums_.empty(); }
  /// Returns the slice to compare next. Requires known checksums.
  Slice next() const;
  /// Whether the slice next(), which now holds these bytes, has its old checksum. Advances to the following slice.
  bool next_is_unchanged(std::span<const std::byte> bytes);
  /// The same, for a slice that now has this checksum.
  bool next_is_unchanged(std::uint64_t sum);

 private:
  struct Sum {
    Slice slice;
    std::uint64_t value = 0;
  };
  std::size_t slice_bytes_ = std::size_t{1} << 20;
  std::vector<Sum> sums_;  ///< in the order of the outputs
  std::size_t next_ = 0;
};

}  // namespace nestwright
