// Operators whose tensors a function defines.
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/text_operator.h"

namespace nestwright {
namespace {

/// Y[i] = sum(j, X[i, j]) * 2
Definition row_sums(const Workload& workload) {
  const std::int64_t m = workload.size("m"), n = workload.size("n");
  const Tensor x = placeholder({m, n}, kFloat32, "X");
  const IterVar j = reduce_axis(n, "j");
  const Tensor s = compute({m}, [&](const Expr& i) { return sum(x(i, j), j); }, "S");
  const Tensor y = compute({m}, [&](const Expr& i) { return s(i) * 2.0; }, "Y");
  return {.args = {x, y}, .inputs = 1};
}

Workload parsed(const std::string& text) {
  const OperatorParameter::Kind size = OperatorParameter::Kind::kSize;
  Operator op = defined_operator("row_sums", {{"m", "rows", size}, {"n", "columns", size, "8"}}, row_sums);
  return parse_workload(text, std::make_shared<const Operator>(std::move(op)));
}

TEST(DefinedOperator, CountsWhatItsTensorsTake) {
  const Workload workload = parsed("row_sums m=5");
  EXPECT_EQ(workload.str(), "row_sums m=5");
  EXPECT_EQ(workload.definition->flops, 5 * 8 + 5);
  EXPECT_EQ(workload.definition->bytes, 4 * (5 * 8 + 5));
}

TEST(DefinedOperator, ItsReferenceComputesItsTensors) {
  const Workload workload = parsed("row_sums m=2 n=3");
  const Reference reference = workload.op->reference(workload, {{1, 2, 3, 10, 20, 30}});
  ASSERT_EQ(reference.expected.size(), 1u);
  EXPECT_EQ(reference.expected[0], (std::vector<double>{12, 120}));
  for (const double bound : reference.bound[0]) {
    EXPECT_GT(bound, 0);
    EXPECT_LT(bound, 1e-3);
  }
}

TEST(DefinedOperator, RefusesResultsThatCannotBeJudged) {
  Operator op = defined_operator("logarithms", {}, [](const Workload&) {
    const Tensor x = placeholder({4}, kFloat32, "X");
    const Tensor y = compute({4}, [&](const Expr& i) { return log(x(i)); }, "Y");
    return Definition{.args = {x, y}, .inputs = 1};
  });
  const Workload workload = parse_workload("logarithms", std::make_shared<const Operator>(std::move(op)));
  EXPECT_THROW(workload.op->reference(workload, {{-1, -2, -3, -4}}), UsageError);
}

}  // namespace
}  // namespace nestwright
