#include "nestwright/array.h"

#include <gmock/gmock.h>

#include <limits>
#include <utility>

#include "nestwright/error.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

TEST(Array, IsAlignedAsAskedFor) {
  for (int alignment : {64, 128, 4096}) {
    Array array = Array::empty(kFloat32, {3, 5}, {.alignment = alignment});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % static_cast<unsigned>(alignment), 0u);
    EXPECT_EQ(array.elements(), 15);
    EXPECT_EQ(array.size_bytes(), 60u);
  }
}

TEST(Array, OfRankZeroHoldsOneElementAndOfExtentZeroNone) {
  EXPECT_EQ(Array::empty(kFloat64, {}).elements(), 1);
  EXPECT_EQ(Array::empty(kFloat64, {4, 0}).size_bytes(), 0u);
}

TEST(Array, HugePagesAreAlignedToThemAndUsable) {
  Array array = Array::empty(kInt32, {1 << 20}, {.huge_pages = true});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % (2u << 20), 0u);
  array.as<std::int32_t>()[(1 << 20) - 1] = 7;
  EXPECT_EQ(array.as<std::int32_t>().back(), 7);
}

TEST(Array, CopiesInAndOut) {
  Array array = Array::empty(kInt32, {2, 2});
  const std::vector<std::int32_t> in{1, 2, 3, 4};
  std::vector<std::int32_t> out(4);
  array.copy_from(std::as_bytes(std::span(in)));
  array.copy_to(std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(in, out);
  array.fill_bytes(0xff);
  EXPECT_EQ(array.as<std::int32_t>()[3], -1);
}

TEST(Array, MovesItsMemory) {
  Array first = Array::empty(kInt8, {10});
  const void* data = first.data();
  Array second = std::move(first);
  EXPECT_EQ(second.data(), data);
  Array third;
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.elements(), 10);
}

TEST(Array, RefusesWhatDoesNotFit) {
  EXPECT_THAT(message<UsageError>([] { Array::empty(kFloat32, {2, -1}); }), HasSubstr("extent -1"));
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  EXPECT_THAT(message<UsageError>([&] { Array::empty(kFloat32, {huge, 3}); }), HasSubstr("number of elements"));
  EXPECT_THAT(message<UsageError>([&] { Array::empty(kFloat32, {huge}); }), HasSubstr("size in bytes"));
  Array array = Array::empty(kFloat32, {3});
  EXPECT_THAT(message<UsageError>([&] { array.copy_from({}); }),
              HasSubstr("copying 0 bytes into an array of 12 bytes"));
  EXPECT_THAT(message<UsageError>([&] { array.as<double>(); }), HasSubstr("elements of 4 bytes, not 8"));
}

}  // namespace
}  // namespace nestwright
