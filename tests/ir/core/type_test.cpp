#include "nestwright/type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Type, PrintsAndParses) {
  for (const char* text : {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                           "bfloat16", "float32", "float64", "float32x16", "int8x64", "boolx4"}) {
    EXPECT_EQ(Type::parse(text).str(), text);
  }
  EXPECT_EQ(Type::parse("float32x16"), kFloat32.with_lanes(16));
}

TEST(Type, RefusesUnknownNamesAndNamesTheKnownOnes) {
  for (const char* text : {"", "float", "float33", "float32x", "float32x1", "float32x0", "float32x99999", "int8x4q"}) {
    EXPECT_THAT([&] { Type::parse(text); }, ThrowsMessage<UsageError>(HasSubstr("use one of bool, int8"))) << text;
  }
}

}  // namespace
}  // namespace nestwright::ir
