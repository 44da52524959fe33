#include "text/phases.h"

#include <gmock/gmock.h>

#include "text/expression.h"
#include "text/tensors.h"

namespace nestwright::text {
namespace {

/// The tensors that are computed for the output, itself the last one.
std::string tensors_of(const std::string& text) {
  const Tensor output = make_tensors(Expression::parse(text).program()).args.back();
  std::string all;
  for (const Tensor& input : output.op()->inputs) {
    if (input.name() == output.name() + ".phases") all += to_string(input.op()) + "\n";
  }
  return all + to_string(output.op());
}

bool has_phases(const std::string& text) { return tensors_of(text).find(".phases") != std::string::npos; }

TEST(Phases, SumUpTheTermsThatCount) {
  EXPECT_EQ(tensors_of("Y[y] = sum(r, select((y + r) % 2 == 0, X[(y + r)/2], 0.0) * W[r]); X: float32[10] y=16 r=4"),
            "");
}

TEST(Phases, WithoutTermsAreZero) {
  EXPECT_EQ(tensors_of("Y[y] = sum(r, select((y + 2*r) % 2 == 1, X[y/2 + r] * W[r], 0)); X: float32[11] y=16 r=4"), "");
}

TEST(Phases, OfUnequalNumbersOfTermsStopAtTheLastOne) {
  EXPECT_EQ(tensors_of("Y[y] = sum(r, select((y - r) % 3 == 0, X[(y - r)/3]?0, 0.0) * W[r]); X: float32[5] y=14 r=4"),
            "");
}

TEST(Phases, AreFoundInEveryFormOfTheCondition) {
  const auto has = [](const std::string& condition, const std::string& value = "X[(y + r)/2]") {
    return has_phases("Y[y] = sum(r, select(" + condition + ", " + value + ", 0) * W[r]); X: float32[10] y=16 r=4");
  };
  EXPECT_TRUE(has("(y + r) % 2 == 0"));
  EXPECT_TRUE(has("1 == (y - r + 3) % 2"));
  EXPECT_TRUE(has("y % 2 == r % 2"));
  EXPECT_TRUE(has("((y + r) & 1) == 0"));
  EXPECT_TRUE(has("y > 2 && (y + r) % 2 == 0 && r < 3"));
  EXPECT_TRUE(has("r < 3", "float32(-select((y + r) % 2 == 0, X[(y + r)/2] * 2.0, 0.0))"));
  EXPECT_TRUE(has("y % 2 == 0")) << "half of the sums are 0";
}

TEST(Phases, AreOnlyOfTermsThatAreZero) {
  const auto has = [](const std::string& body, const std::string& reduction = "sum") {
    return has_phases("Y[y] = " + reduction + "(r, " + body + "); X: float32[10]; W: float32[4] y=16 r=4");
  };
  EXPECT_FALSE(has("select((y + r) % 2 == 0, X[(y + r)/2], 1) * W[r]"));
  EXPECT_FALSE(has("select((y + r) % 2 == 0, X[(y + r)/2], 0) + W[r]"));
  EXPECT_FALSE(has("select((y + r) % 2 == 0, X[(y + r)/2], 0)", "max"));
  EXPECT_FALSE(has("select((y + r) % 2 == 0 || r == 0, X[(y + r)/2], 0) * W[r]"));
  EXPECT_FALSE(has("select((y + r) % 2 != 0, X[(y + r)/2], 0) * W[r]"));
  EXPECT_FALSE(has("select((y + r) % 2 == 2, X[(y + r)/2], 0) * W[r]"));
  EXPECT_FALSE(has("select((2*y + r) % 4 == 0, X[(y + r)/2], 0) * W[r]")) << "rows of one phase differ";
  EXPECT_FALSE(has("select((y*r) % 2 == 0, X[(y + r)/2], 0) * W[r]"));
  EXPECT_FALSE(has_phases("Y[y] = sum(r, s, select((y + r + s) % 2 == 0, X[r], 0)); X: float32[4] y=16 s=4"));
  EXPECT_FALSE(has_phases("Y[y, x] = sum(r, select((y + x + r) % 2 == 0, X[r], 0)); X: float32[4] y=16 x=16"));
}

}  // namespace
}  // namespace nestwright::text
