#include "search/task/check_data.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

TEST(CheckData, InputsAreReproducibleRoundedAndWithinOne) {
  const Workload workload = parse_workload("matmul m=5 n=7 k=3");
  const CheckData a = make_check_data(workload), b = make_check_data(workload);
  ASSERT_EQ(a.inputs.size(), 2u);
  EXPECT_EQ(a.inputs, b.inputs);
  for (const auto& input : a.inputs) {
    for (const double value : input) {
      EXPECT_LE(std::abs(value), 1);
      EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
    }
  }
}

TEST(CheckData, LargeTensorsDoNotDependOnTheNumberOfThreads) {
  const Workload workload = parse_workload("transpose rows=300 columns=6980");  // a chunk of 2^20, and a part of one
  const CheckData many = make_strict_check_data(workload);
  ASSERT_FALSE(many.large);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const CheckData single = make_strict_check_data(workload);
  for (const auto member : {&CheckData::inputs, &CheckData::expected, &CheckData::bound, &CheckData::wide_inputs,
                            &CheckData::wide_expected, &CheckData::wide_bound}) {
    EXPECT_TRUE(many.*member == single.*member);
  }
  const std::vector<double>& x = many.inputs[0];
  EXPECT_FALSE(std::equal(x.begin(), x.begin() + 100, x.begin() + (1 << 20))) << "chunks are drawn alike";
}

TEST(CheckData, IncompleteRangesAndReferencesAreRefusedByTheOperatorsName) {
  const Operator& matmul = *builtin_registry().find_operator("matmul");
  const auto refusal = [](const Operator& op) {
    return message<UsageError>(
        [&] { make_strict_check_data(parse_workload("matmul m=5 n=7 k=3", std::make_shared<const Operator>(op))); });
  };
  EXPECT_EQ(refusal(matmul), "accepted");
  Operator narrow = matmul;
  narrow.ranges = [](const Workload&) { return std::vector<std::optional<DataRange>>(1); };
  EXPECT_EQ(refusal(narrow),
            "what the function 'ranges' of the operator 'matmul' returns does not fit matmul m=5 n=7 k=3: return a "
            "range for each input (2, not 1)");
  Operator unbounded = matmul;
  unbounded.reference = [&](const Workload& w, const HostTensors& in) {
    return Reference{matmul.reference(w, in).expected, {}};
  };
  EXPECT_EQ(refusal(unbounded),
            "what the function 'reference' of the operator 'matmul' returns does not fit matmul m=5 n=7 k=3: return "
            "bounds for each output (1, not 0)");
}

TEST(CheckData, TheLimitOfACheckGrowsWithTheTensorsAndTheOperations) {
  const auto limit_s = [](const std::string& workload) {
    return check_limit_s({parse_workload(workload), Target::parse("cpu,isa=avx2,threads=2")});
  };
  const double least = RunnerOptions().timeout_s;
  EXPECT_NEAR(limit_s("matmul m=8 n=8 k=8"), least, 0.1);
  // Four calls of seconds, at a tenth of what a slow processor reaches.
  EXPECT_GT(limit_s("matmul m=8192 n=8192 k=8192"), 100);
  // 6.4 GB.
  EXPECT_GT(limit_s("matmul m=8388608 n=128 k=64"), least + 20);
  const Definition large =
      parse_workload("matmul m=8388608 n=128 k=64").op->define(parse_workload("matmul m=8388608 n=128 k=64"));
  const Task on_device{parse_workload("matmul m=8192 n=8192 k=8192"), Target::parse("cuda,arch=sm_90")};
  EXPECT_LT(check_limit_s(on_device), 2 * least) << "a device that hangs is not waited for";
  EXPECT_GT(check_limit_s(large, 0), least + 20) << "however fast the kernel is expected to be";
}

TEST(CheckData, ExpectedIsThePlainProductAndTheBoundItsFormula) {
  const std::int64_t m = 5, n = 7, k = 3;
  const CheckData data = make_check_data(parse_workload("matmul m=5 n=7 k=3"));
  ASSERT_EQ(data.expected.size(), 1u);
  ASSERT_EQ(data.expected[0].size(), static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0, squares = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const double term = data.inputs[0][i * k + l] * data.inputs[1][l * n + j];
        sum += term;
        squares += term * term;
      }
      EXPECT_NEAR(data.expected[0][i * n + j], sum, 1e-14);
      const double bound = 8 * std::pow(2.0, -23) * std::sqrt(3 * squares);
      EXPECT_NEAR(data.bound[0][i * n + j], bound, 1e-9 * bound);
    }
  }
}

}  // namespace
}  // namespace nestwright
