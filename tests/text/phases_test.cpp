#include "text/analysis/phases.h"

#include <gmock/gmock.h>

#include "text/expression.h"
#include "text/tensors.h"

namespace nestwright::text {
namespace {

/// The tensors that are computed for the output, itself the last one.
std::string tensors_of(const std::string& text) {
  const Tensor output = make_tensors(Expression::parse(text).program()).args.back();
  std::string all;
  for (const Operation& input : output.op()->inputs) {
    if (input->name.starts_with(output.name() + ".phases")) all += to_string(input) + "\n";
  }
  return all + to_string(output.op());
}

bool has_phases(const std::string& text) { return tensors_of(text).find(".phases") != std::string::npos; }

TEST(Phases, SumUpTheTermsThatCount) {
  EXPECT_EQ(tensors_of("Y[y] = sum(r, select((y + r) % 2 == 0, X[(y + r)/2], 0.0) * W[r]); X: float32[10] y=16 r=4"),
            "Y.phases: float32[2, 8], Y.phases[i, j] = sum(X[j + i + r]*W[r*2 + i], r in 0..2)\n"
            "Y: float32[16], Y[i] = Y.phases[i%2, i/2]");
}

TEST(Phases, WithoutTermsAreZero) {
  EXPECT_EQ(tensors_of("Y[y] = sum(r, select((y + 2*r) % 2 == 1, X[y/2 + r] * W[r], 0)); X: float32[11] y=16 r=4"),
            "Y.phases: float32[8], Y.phases[i] = sum(X[i + r]*W[r], r in 0..4)\n"
            "Y: float32[16], Y[i] = select(i%2 == 1, Y.phases[i/2], 0.0)");
  EXPECT_EQ(tensors_of("Y[y] = sum(r, select((y - r) % 2 == 0, X[y/2] * W[r], 0)); X: float32[8] y=16 r=1"),
            "Y.phases0: float32[8], Y.phases0[i] = sum(X[i]*W[0], r in 0..1)\n"
            "Y: float32[16], Y[i] = select(i%2 < 1, Y.phases0[i/2], 0.0)");
}

TEST(Phases, OfUnequalNumbersOfTermsAreApart) {
  EXPECT_EQ(tensors_of("Y[y] = sum(r, select((y - r) % 3 == 0, X[(y - r)/3]?0, 0.0) * W[r]); X: float32[5] y=14 r=4"),
            "Y.phases0: float32[5], Y.phases0[i] = sum(X.padded[i - r + 1]*W[r*3], r in 0..2)\n"
            "Y.phases1: float32[2, 5], Y.phases1[i, j] = sum(X.padded[j + 1]*W[i + 1], r in 0..1)\n"
            "Y: float32[14], Y[i] = select(i%3 < 1, Y.phases0[i/3], Y.phases1[i%3 - 1, i/3])");
}

TEST(Phases, StandBehindTheQuotientsIfTheyAreMany) {
  EXPECT_EQ(
      tensors_of("Y[y, o] = sum(r, select((y - r) % 100 == 0, X[(y - r)/100]?0, 0.0) * W[r, o]); X: float32[4] "
                 "y=400 r=250 o=6"),
      "Y.phases0: float32[4, 50, 6], Y.phases0[i, j, k] = sum(X.padded[i - r + 3]*W[r*100 + j, k], r in 0..3)\n"
      "Y.phases1: float32[4, 50, 6], Y.phases1[i, j, k] = sum(X.padded[i - r + 3]*W[r*100 + j + 50, k], r in 0..2)\n"
      "Y: float32[400, 6], Y[i, j] = select(i%100 < 50, Y.phases0[i/100, i%100, j], Y.phases1[i/100, i%100 - 50, j])");
}

TEST(Phases, AreOfModuliUpTo4096) {
  const auto has = [](const std::string& modulus) {
    return has_phases("Y[y] = sum(r, select((y + r) % " + modulus + " == 0, X[(y + r)/" + modulus +
                      "], 0) * W[r]); X: float32[3] y=8194 r=10");
  };
  EXPECT_TRUE(has("4096"));
  EXPECT_FALSE(has("4097"));
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
    return has_phases("Y[y] = " + reduction + "(r, " + body + "); X: float32[10] y=16 r=4");
  };
  EXPECT_FALSE(has("select((y + r) % 2 == 0, X[(y + r)/2], 1) * W[r]"));
  EXPECT_FALSE(has("select((y + r) % 2 == 0, X[(y + r)/2], 0) + W[r]"));
  EXPECT_FALSE(has("select((y + r) % 2 == 0, X[(y + r)/2], 0)", "max"));
  EXPECT_FALSE(has("select((y + r) % 2 == 0 || r == 0, X[(y + r)/2], 0) * W[r]"));
  EXPECT_FALSE(has("select((y + r) % 2 != 0, X[(y + r)/2], 0) * W[r]"));
  EXPECT_FALSE(has("select((y + r) % 2 == 2, X[(y + r)/2], 0) * W[r]"));
  EXPECT_FALSE(has("select((2*y + r) % 4 == 0, X[(y + r)/2], 0) * W[r]")) << "rows of one phase differ";
  EXPECT_FALSE(has("select((y*r) % 2 == 0, X[(y + r)/2], 0) * W[r]"));
  EXPECT_FALSE(has_phases("Y[y] = sum(r, s, select((y + r + s) % 2 == 0, X[r], 0)); X: float32[4] y=16 s=4 r=4"));
  EXPECT_FALSE(has_phases("Y[y, x] = sum(r, select((y + x + r) % 2 == 0, X[r], 0)); X: float32[4] y=16 x=16 r=4"));
}

TEST(Phases, AreNotOfReadsThatTheConditionAloneKeepsInside) {
  EXPECT_TRUE(has_phases("Y[y] = sum(r, select((y + r) % 3 == 0, X[(y + r)/3], 0)); X: float32[6] y=12 r=4"));
  EXPECT_FALSE(has_phases("Y[y] = sum(r, select((y + r) % 3 == 0, X[(y + r) % 3], 0)); X: float32[1] y=12 r=4"));
}

}  // namespace
}  // namespace nestwright::text
