#include "measure/check/output_checksums.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "nestwright/error.h"

namespace nestwright {

namespace {

constexpr std::uint64_t kPrime = 0x100000001b3;  // of FNV-1a, here over words in four lanes
constexpr std::size_t kLanes = 4;

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, kLanes> lanes = {1, 2, 3, 4}, words{};
  std::size_t at = 0;
  for (; at + sizeof words <= bytes.size(); at += sizeof words) {
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = (lanes[i] ^ words[i]) * kPrime;
  }
  std::uint64_t sum = bytes.size();
  for (; at < bytes.size(); ++at) sum = (sum ^ static_cast<std::uint64_t>(bytes[at])) * kPrime;
  for (const std::uint64_t lane : lanes) sum = (sum ^ lane) * kPrime;
  return sum;
}

void OutputChecksums::take(Outputs outputs) {
  std::vector<std::size_t> bytes;
  for (const std::span<const std::byte>& output : outputs) bytes.push_back(output.size());
  take(bytes, [&](const Slice& slice) { return checksum(outputs[slice.output].subspan(slice.offset, slice.bytes)); });
}

void OutputChecksums::take(std::span<const std::size_t> bytes, const std::function<std::uint64_t(const Slice&)>& sum) {
  sums_.clear();
  next_ = 0;
  for (std::size_t output = 0; output < bytes.size(); ++output) {
    for (std::size_t offset = 0; offset < bytes[output]; offset += slice_bytes_) {
      const Slice slice{output, offset, std::min(slice_bytes_, bytes[output] - offset)};
      sums_.push_back({slice, sum(slice)});
    }
  }
}

OutputChecksums::Slice OutputChecksums::next() const {
  check(next_ < sums_.size(), "there is no checksum to hold a result against");
  return sums_[next_].slice;
}

bool OutputChecksums::next_is_unchanged(std::span<const std::byte> bytes) {
  check(bytes.size() == next().bytes, "a slice of a result has another size than the one that was checked");
  return next_is_unchanged(checksum(bytes));
}

bool OutputChecksums::next_is_unchanged(std::uint64_t sum) {
  check(next_ < sums_.size(), "there is no checksum to hold a result against");
  const bool same = sum == sums_[next_].value;
  next_ = (next_ + 1) % sums_.size();
  return same;
}

}  // namespace nestwright
