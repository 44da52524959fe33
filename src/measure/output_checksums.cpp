#include "measure/output_checksums.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "support/error.h"

namespace nestwright {

namespace {

constexpr std::size_t kSliceBytes = std::size_t{1} << 20;
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
  sums_.clear();
  next_ = 0;
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    for (std::size_t offset = 0; offset < outputs[output].size(); offset += kSliceBytes) {
      const Slice slice{output, offset, std::min(kSliceBytes, outputs[output].size() - offset)};
      sums_.push_back({slice, checksum(outputs[output].subspan(offset, slice.bytes))});
    }
  }
}

OutputChecksums::Slice OutputChecksums::next() const {
  check(next_ < sums_.size(), "there is no checksum to hold a result against");
  return sums_[next_].slice;
}

bool OutputChecksums::next_is_unchanged(std::span<const std::byte> bytes) {
  check(bytes.size() == next().bytes, "a slice of a result has another size than the one that was checked");
  const bool same = checksum(bytes) == sums_[next_].value;
  next_ = (next_ + 1) % sums_.size();
  return same;
}

}  // namespace nestwright
