#include "measure/check/output_checksums.h"

#include <gtest/gtest.h>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using Bytes = std::vector<std::byte>;

TEST(Checksum, DependsOnEveryByteAndItsPlace) {
  Bytes bytes(1003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  const std::uint64_t sum = checksum(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Bytes other = bytes;
    other[i] ^= std::byte{1};
    EXPECT_NE(checksum(other), sum) << i;
  }
  Bytes swapped = bytes;
  std::swap(swapped[8], swapped[40]);
  EXPECT_NE(checksum(swapped), sum);
  EXPECT_NE(checksum(std::span(bytes).first(1002)), sum);
  EXPECT_EQ(checksum({}), checksum({}));
}

// Slices of 1 MiB are compared in rotation.
TEST(OutputChecksums, FindAChangeWithinOneRound) {
  Bytes first((std::size_t{5} << 20) / 2), second(100);
  const std::vector<std::span<const std::byte>> outputs{first, second};
  OutputChecksums sums;
  EXPECT_FALSE(sums.are_known());
  EXPECT_THROW(sums.next(), InternalError);
  const auto is_unchanged = [&] {
    const OutputChecksums::Slice next = sums.next();
    return sums.next_is_unchanged(outputs[next.output].subspan(next.offset, next.bytes));
  };
  sums.take(outputs);
  EXPECT_TRUE(sums.are_known());
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(is_unchanged());
  for (std::byte* changed : {&first.front(), &first.back(), &second[50]}) {
    *changed ^= std::byte{1};
    int found = 0;
    for (int slice = 0; slice < 4; ++slice) found += !is_unchanged();
    EXPECT_EQ(found, 1);
    *changed ^= std::byte{1};
  }
  EXPECT_THROW(sums.next_is_unchanged(outputs[0].first(1)), InternalError);
}

// Outputs that only a function can read, as on a device.
TEST(OutputChecksums, AreThoseOfAFunctionInSlicesOfTheSizeGiven) {
  const std::vector<std::size_t> bytes{10, 4};
  std::vector<OutputChecksums::Slice> seen;
  OutputChecksums sums(8);
  sums.take(bytes, [&](const OutputChecksums::Slice& slice) {
    seen.push_back(slice);
    return std::uint64_t{seen.size()};
  });
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[1].offset, 8u);
  EXPECT_EQ(seen[1].bytes, 2u);
  EXPECT_EQ(seen[2].output, 1u);
  EXPECT_TRUE(sums.next_is_unchanged(std::uint64_t{1}));
  EXPECT_FALSE(sums.next_is_unchanged(std::uint64_t{3}));
  EXPECT_EQ(sums.next().output, 1u) << "it goes on all the same";
}

}  // namespace
}  // namespace nestwright
