// Operators made of texts: their parameters, definitions and ranges, and which texts are one workload.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "nestwright/template.h"
#include "nestwright/text_operator.h"
#include "tests/support/message.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

constexpr const char* kProduct = "C[i, j] = sum(k, A[i, k] * B[k, j]) i=51 j=52 k=53";

TEST(TextOperator, HasTheCanonicalTextAsNameAndSizesAsParameters) {
  const Workload workload = workload_of(kProduct);
  EXPECT_EQ(workload.op->name, "C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1])");
  EXPECT_EQ(workload.str(), "C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]) i0=51 i1=52 i2=53");
  EXPECT_EQ(workload.size("i2"), 53);
  EXPECT_EQ(workload_of(workload.str()), workload) << "its own text is the same workload";
  EXPECT_EQ(workload_of("C[a,b]=sum(c, A[a,c]*B[c,b]); A: float32[51,53]; B: float32[53, 52]").str(), workload.str());
}

TEST(TextOperator, DefinesWorkloadsOfOtherSizes) {
  const Workload workload = workload_of(kProduct);
  const Definition given = workload.op->define(workload);
  EXPECT_EQ(given.inputs, 2);
  EXPECT_EQ(given.flops, 2.0 * 51 * 52 * 53);
  EXPECT_EQ(given.bytes, 4.0 * (51 * 53 + 53 * 52 + 51 * 52));
  const Workload other = parse_workload(workload.op->name + " i0=5 i1=6 i2=7", workload.op);
  EXPECT_EQ(other.op->define(other).flops, 2.0 * 5 * 6 * 7);
}

TEST(TextOperator, CountsTheBytesThatAreTouched) {
  const auto bytes_of = [](const char* text) {
    const Workload workload = workload_of(text);
    return workload.op->define(workload).bytes;
  };
  EXPECT_EQ(bytes_of("Y[i, j] = T[I[i], j]; I: int32 in [0, 9999] i=8 j=16"), 4 * (8 * 16 + 8 + 8 * 16)) << "a gather";
  EXPECT_EQ(bytes_of("Y[i] = T[I[i], J[i]]; I: int8 in [0, 99]; J: int8 in [0, 99] i=8"), 4 * 8 + 8 + 8 + 4 * 8);
  EXPECT_EQ(bytes_of("Y[i] = T[clamp(int64(X[i]), 0, 3)] i=100"), 4 * (4 + 100 + 100)) << "no more than there are";
  EXPECT_EQ(bytes_of("Y[i, j] = X[i + 5, j] * 2; X: float64[1000, 1000] i=10 j=20"), 8 * (10 * 20 + 10 * 20));
  EXPECT_EQ(bytes_of("Y[i] = X[2*i]; X: float32[100] i=10"), 4 * (10 + 10)) << "every second one";
  EXPECT_EQ(bytes_of("Y[i] = sum(r, X[i + r]); X: float32[100] i=10 r=3"), 4 * (12 + 10)) << "a window";
  EXPECT_EQ(bytes_of("Y[i] = X[i] - X[i + 1] * X[i]; X: float32[100] i=10"), 4 * (11 + 10)) << "once";
  EXPECT_EQ(bytes_of("Y[i] = X[0] + X[99]; X: float32[100] i=10"), 4 * (2 + 10)) << "two elements";
  EXPECT_EQ(bytes_of("Y[i] = X[i - 1]?0 + X[i + 1]?0; X: float32[10] i=10"), 4 * (10 + 10))
      << "the padding is not read";
  EXPECT_EQ(bytes_of("S[i] = sum(j, X[i, j]); Y[i] = S[i] * 2 i=10 j=20"), 4 * (200 + 10)) << "S is no argument";
}

TEST(TextOperator, HasTheTemplatesOfAProductOrTheGeneratedOneOnly) {
  const auto names_of = [](const char* text) {
    std::vector<std::string> names;
    const Workload workload = workload_of(text);
    for (const Template& t : workload.op->templates) names.push_back(t.name);
    return names;
  };
  EXPECT_THAT(names_of(kProduct), ::testing::IsSupersetOf({"matmul.cpu", "generated.cpu", "generated.gpu"}));
  const std::vector<std::string> of_product = names_of(kProduct);
  EXPECT_EQ(std::set<std::string>(of_product.begin(), of_product.end()).size(), of_product.size())
      << "trials name their template";
  EXPECT_THAT(names_of("Y[i] = X[i] + 1 i=9"), ::testing::ElementsAre("generated.cpu", "generated.gpu"));
}

TEST(TextOperator, HasTheTemplatesOfAProductWhateverTheNumberOfBatches) {
  const auto is_searched_as_matmul = [](const std::string& text) {
    return workload_of(text).op->templates.size() > workload_of("Y[i] = X[i] + 1 i=4").op->templates.size();
  };
  for (const char* batches : {" b=1", " b=8"}) {
    const std::string sizes = " i=4 j=5 k=6" + std::string(batches);
    EXPECT_TRUE(is_searched_as_matmul("C[b, i, j] = sum(k, A[b, i, k] * B[b, k, j])" + sizes));
    EXPECT_FALSE(
        is_searched_as_matmul("C[b, i, j] = sum(k, int32(A[b, i, k]) * int32(B[b, k, j])); A: int8; B: int8" + sizes));
  }
}

TEST(TextOperator, RangesAreThoseOfTheDeclarations) {
  const Workload workload =
      workload_of("Y[i] = log(X[i]) + Z[i] * float32(I[i]); X: in [0.5, 2]; I: int32 in [-3, 9] i=9");
  const auto ranges = workload.op->ranges(workload);
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0]->low, 0.5);
  EXPECT_FALSE(ranges[1].has_value());
  EXPECT_EQ(ranges[2]->high, 9);
}

TEST(TextOperator, WorkloadsAreExpressionsWhereTheyHaveABracket) {
  EXPECT_TRUE(is_expression_text("s[] = X[] * 2"));
  EXPECT_FALSE(is_expression_text("matmul m=5 n=6 k=7"));
}

TEST(TextOperator, ReadsUnderAConditionAreProvedToBeInBounds) {
  const std::string refusal =
      "expression, column 27: pad this read, as in X[...]?0, or clamp its index, as its condition";
  EXPECT_THAT(
      message<text::ExpressionError>([] { workload_of("Y[i] = select(i % 3 == 1, T[i-2], 0); T: float32[10] i=10"); }),
      ::testing::StartsWith(refusal));
  EXPECT_THAT(
      message<text::ExpressionError>([] { workload_of("Y[i] = select(X[i] > 0.5, T[i-1], 0); T: float32[10] i=10"); }),
      ::testing::StartsWith(refusal));
  EXPECT_THAT(
      message<text::ExpressionError>([] { workload_of("Y[i] = select(i >= 1, T[i-1], T[i-2]); T: float32[10] i=10"); }),
      ::testing::HasSubstr("column 23: "))
      << "the first read of T";
  EXPECT_NO_THROW(workload_of("Y[i] = select(i >= 2, T[i-2], 0); T: float32[10] i=10"));
}

TEST(TextOperator, AProductHasTheTemplatesOfItsRegistry) {
  Registry registry = builtin_registry();
  Template added = *registry.find_operator("matmul")->find_template("matmul.cpu");
  added.name = "mine";
  registry.add("matmul", added);
  EXPECT_NE(workload_of(kProduct, registry).op->find_template("mine"), nullptr);
  EXPECT_EQ(workload_of(kProduct).op->find_template("mine"), nullptr);
}

TEST(TextOperator, AProductNeedsNoMatmulInItsRegistry) {
  const auto names = [](const Workload& workload) {
    std::vector<std::string> list;
    for (const Template& t : workload.op->templates) list.push_back(t.name);
    return list;
  };
  EXPECT_THAT(names(workload_of(kProduct, Registry())), ::testing::ElementsAre("generated.cpu", "generated.gpu"));
  Operator other = **builtin_registry().operators().begin();
  ASSERT_EQ(other.name, "matmul");
  other.parameters.pop_back();
  Registry registry;
  registry.add(other);
  EXPECT_THAT(names(workload_of(kProduct, registry)), ::testing::ElementsAre("generated.cpu", "generated.gpu"))
      << "an operator of that name with other parameters";
}

TEST(TextOperator, AnErrorPointsAtTheCharacter) {
  EXPECT_THAT(message<text::ExpressionError>([] { workload_of("C[i] = A[i] +* 2 i=5"); }),
              ::testing::StartsWith("expression, column 14: expected a number, an index, a tensor, a function or '('"));
}

}  // namespace
}  // namespace nestwright
