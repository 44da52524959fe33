// The reference of the self-test is made from the operator's expression.
#include "exporter/c_expression.h"

#include <gmock/gmock.h>

#include "support/error.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

TEST(CExpression, ReadsLikeTheExpression) {
  const Tensor a = placeholder({4, 6}, kFloat32, "A");
  const IterVar k = reduce_axis(6, "k");
  const Tensor c = compute({4}, [&](Expr i) { return sum(a(i, k) * a(i, 0), k); }, "C");
  CNames names;
  names.arrays[a.buffer()] = "A";
  const std::string text = c_element(c.op(), names);
  EXPECT_THAT(text, HasSubstr("const long i0 = element / 1 % 4;"));
  EXPECT_THAT(text, HasSubstr("for (long r0 = 0; r0 < 6; ++r0) {"));
  EXPECT_THAT(text, HasSubstr("*size += fabs(term);"));
  EXPECT_EQ(reduction_length(c.op()), 6);
}

TEST(CExpression, FloatsStayFloats) {
  EXPECT_EQ(c_expression(ir::make_float(1, kFloat32), {}), "1.0");
  EXPECT_EQ(c_expression(ir::make_float(0.25, kFloat32), {}), "0.25");
}

TEST(CExpression, RefusesWhatIsNoArgument) {
  const Tensor a = placeholder({4}, kFloat32, "A");
  const Tensor c = compute({4}, [&](Expr i) { return a(i); }, "C");
  try {
    c_element(c.op(), {});
    FAIL() << "no error";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("reads A, which is not an argument"));
  }
}

}  // namespace
}  // namespace nestwright
