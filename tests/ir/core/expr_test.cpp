#include "nestwright/expr_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Reducer, IdentityIsNeutral) {
  for (const Type type : {kInt8, kUInt8, kInt32, kInt64, kFloat32, kFloat64}) {
    for (const auto kind : {ReducerKind::kSum, ReducerKind::kProd, ReducerKind::kMin, ReducerKind::kMax}) {
      for (const double value : {0.0, 1.0, 7.0, 100.0}) {
        const Expr combined = reducer_combine(kind, reducer_identity(kind, type), make_const(value, type));
        const double result =
            type.is_float() ? combined.as<FloatImm>()->value : static_cast<double>(combined.as<IntImm>()->value);
        EXPECT_EQ(result, value) << reducer_name(kind) << " " << type.str();
      }
    }
  }
  EXPECT_TRUE(is_false(reducer_identity(ReducerKind::kAny, kBool)));
  EXPECT_TRUE(is_true(reducer_identity(ReducerKind::kAll, kBool)));
}

TEST(Buffer, StridesOfACompactOneFollowFromItsShape) {
  const Buffer compact("A", kFloat32, {4, 5, 6});
  EXPECT_TRUE(is_const_int(compact->stride(0), 30));
  EXPECT_TRUE(is_const_int(compact->stride(2), 1));
  EXPECT_EQ(compact->elements(), 120);
  const Buffer padded("A", kFloat32, {4, 5}, Scope::kGlobal, {8, 1});
  EXPECT_TRUE(is_const_int(padded->stride(0), 8));
  EXPECT_THAT([] { return Buffer("B", kFloat32, {4, 5}, Scope::kGlobal, {1}); },
              ThrowsMessage<InternalError>(HasSubstr("one stride a dimension")));
}

}  // namespace
}  // namespace nestwright::ir
