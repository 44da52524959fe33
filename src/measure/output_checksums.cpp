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

std::size_t slices_of(std::span<const std::byte> output) { return (output.size() + kSliceBytes - 1) / kSliceBytes; }

std::span<const std::byte> slice(std::span<const std::byte> output, std::size_t number) {
  const std::size_t begin = number * kSliceBytes;
  return output.subspan(begin, std::min(kSliceBytes, output.size() - begin));
}

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
  for (const std::span<const std::byte> output : outputs) {
    for (std::size_t i = 0; i < slices_of(output); ++i) sums_.push_back(checksum(slice(output, i)));
  }
}

bool OutputChecksums::next_is_unchanged(Outputs outputs) {
  check(next_ < sums_.size(), "there is no checksum to hold a result against");
  std::size_t number = next_;
  for (const std::span<const std::byte> output : outputs) {
    if (number < slices_of(output)) {
      const bool same = checksum(slice(output, number)) == sums_[next_];
      next_ = (next_ + 1) % sums_.size();
      return same;
    }
    number -= slices_of(output);
  }
  throw InternalError("internal error: a result has other outputs than the one that was checked");
}

}  // namespace nestwright
