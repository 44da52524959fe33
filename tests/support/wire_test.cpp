#include "support/data/wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nestwright/error.h"

namespace nestwright {
namespace {

TEST(Wire, GivesBackWhatWasWritten) {
  Encoder e;
  e.u8(200).i64(std::numeric_limits<std::int64_t>::min()).f64(-0.0).bytes(std::string("a\0b", 3)).bytes("").i64(7);
  Decoder d(e.str());
  EXPECT_EQ(d.u8(), 200);
  EXPECT_EQ(d.i64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(std::signbit(d.f64()));
  EXPECT_EQ(d.bytes(), std::string("a\0b", 3));
  EXPECT_EQ(d.bytes(), "");
  EXPECT_FALSE(d.at_end());
  EXPECT_EQ(d.i64(), 7);
  EXPECT_TRUE(d.at_end());
}

TEST(Wire, EveryTruncationIsRefused) {
  Encoder e;
  e.i64(1).bytes("hello").f64(2);
  for (std::size_t n = 0; n < e.str().size(); ++n) {
    const std::string part = e.str().substr(0, n);
    Decoder d(part);
    EXPECT_THROW(
        {
          d.i64();
          d.bytes();
          d.f64();
        },
        UsageError)
        << n;
  }
}

TEST(Wire, ANegativeLengthIsRefused) {
  Encoder e;
  e.i64(-1);
  Decoder d(e.str());
  EXPECT_THROW(d.bytes(), UsageError);
}

}  // namespace
}  // namespace nestwright
