#include "measure/check/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits_of(ir::Type type, double value) {
  std::uint64_t bits = 0;
  encode_elements(type, std::vector<double>{value}, &bits);
  return bits;
}

TEST(Elements, AreEncodedAsTheirFormatsSay) {
  EXPECT_EQ(bits_of(kFloat16, 1.0), 0x3c00u);
  EXPECT_EQ(bits_of(kFloat16, -2.5), 0xc100u);
  EXPECT_EQ(bits_of(kFloat16, 65504), 0x7bffu);
  EXPECT_EQ(bits_of(kBFloat16, 1.0), 0x3f80u);
  EXPECT_EQ(bits_of(kBFloat16, 1.00390625), 0x3f80u) << "halfway: to even";
  EXPECT_EQ(bits_of(kBFloat16, 1.01171875), 0x3f82u) << "halfway: to even";
  EXPECT_EQ(bits_of(kBFloat16, kNan) & 0x7fc0, 0x7fc0u);
  EXPECT_EQ(bits_of(kFloat32, 1.0), 0x3f800000u);
  EXPECT_EQ(bits_of(kFloat64, -2.0), 0xc000000000000000u);
  EXPECT_EQ(bits_of(kInt8, -3), 0xfdu);
  EXPECT_EQ(bits_of(kUInt16, 65535), 0xffffu);
  EXPECT_EQ(bits_of(kBool, 5), 1u);
}

TEST(Elements, AreReadBack) {
  for (const ir::Type type : ir::element_types()) {
    std::vector<char> memory(static_cast<std::size_t>(3 * type.bytes()));
    encode_elements(type, std::vector<double>{0, 1, type == kBool ? 0.0 : 7.0}, memory.data());
    EXPECT_EQ(element_at(type, memory.data(), 1), 1) << type.bytes();
    EXPECT_EQ(element_at(type, memory.data(), 2), type == kBool ? 0 : 7);
  }
}

TEST(Comparison, FindsTheLargestErrorAndTheFirstWrongElement) {
  const std::vector<float> got = {1, 2, 3.25, 4.5};
  const std::vector<double> expected = {1, 2.125, 3, 4}, bound = {0, 0.25, 0.125, 0.125};
  const Comparison c = compare_elements(kFloat32, got.data(), expected, bound);
  EXPECT_EQ(c.first_wrong, 2);
  EXPECT_EQ(c.largest_error, 0.5);
  EXPECT_EQ(c.largest_error_ratio, 4);
}

TEST(Comparison, AnErrorAsLargeAsItsBoundIsRight) {
  const std::vector<double> got = {1.5};
  const Comparison c = compare_elements(kFloat64, got.data(), std::vector<double>{1}, std::vector<double>{0.5});
  EXPECT_EQ(c.first_wrong, -1);
  EXPECT_EQ(c.largest_error_ratio, 1);
}

TEST(Comparison, NotANumberIsNeverRight) {
  const std::vector<double> got = {kNan};
  for (double bound : {1.0, kInfinity}) {
    const Comparison c = compare_elements(kFloat64, got.data(), std::vector<double>{0}, std::vector<double>{bound});
    EXPECT_EQ(c.largest_error, kInfinity);
    EXPECT_EQ(c.first_wrong, 0);
  }
}

TEST(Comparison, WhereNothingIsExpectedNothingMayBeWritten) {
  std::vector<float> got = {1, 0, 2};
  const std::vector<double> expected = {1, kNan, 2}, bound = {0, 0, 0};
  EXPECT_EQ(compare_elements(kFloat32, got.data(), expected, bound).first_wrong, 1);
  got[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(compare_elements(kFloat32, got.data(), expected, bound).first_wrong, 1) << "another not-a-number";
  std::memset(&got[1], 0xff, sizeof(float));
  const Comparison untouched = compare_elements(kFloat32, got.data(), expected, bound);
  EXPECT_EQ(untouched.first_wrong, -1);
  EXPECT_EQ(untouched.largest_error, 0);
}

TEST(Comparison, InfinityIsRightWhereItIsExpectedOnly) {
  const std::vector<double> got = {kInfinity};
  const std::vector<double> zero = {0};
  EXPECT_EQ(compare_elements(kFloat64, got.data(), std::vector<double>{kInfinity}, zero).first_wrong, -1);
  EXPECT_EQ(compare_elements(kFloat64, got.data(), std::vector<double>{1e300}, zero).first_wrong, 0);
}

TEST(Comparison, ABoundOfZeroAllowsNothing) {
  const std::vector<float> got = {1.0000001f};
  const Comparison c = compare_elements(kFloat32, got.data(), std::vector<double>{1}, std::vector<double>{0});
  EXPECT_EQ(c.first_wrong, 0);
  EXPECT_EQ(c.largest_error_ratio, kInfinity);
}

TEST(Comparison, NeedsABoundForEachElement) {
  const float got[] = {1, 2};
  EXPECT_THROW(compare_elements(kFloat32, got, std::vector<double>{1, 2}, std::vector<double>{0}), InternalError);
}

TEST(Comparison, WithoutBoundsNoErrorIsAllowed) {
  const float got[] = {1, 2, 3.0000002F};
  EXPECT_EQ(compare_elements(kFloat32, got, std::vector<double>{1, 2}, {}).first_wrong, -1);
  const Comparison c = compare_elements(kFloat32, got, std::vector<double>{1, 2, 3}, {});
  EXPECT_EQ(c.first_wrong, 2);
  EXPECT_EQ(c.largest_error_ratio, kInfinity);
}

}  // namespace
}  // namespace nestwright
