// Results that are compared with samples and with sums over lines: right ones are accepted, and a single wrong element
// is found, whatever the operator, its types and its layout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "large_judge.h"
#include "nestwright/registry.h"
#include "support/data/hash.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

struct Kind {
  const char* workload;
  bool has_exact_set = false;  ///< every wrong element is found, however small its error
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.workload; }

class LargeChecksOf : public ::testing::TestWithParam<Kind> {};

constexpr InputSet kSets[] = {InputSet::kIntegers, InputSet::kUniform, InputSet::kWide};

/// The result of a kernel that computes in double and rounds once; a kernel's own errors are within a quarter of the
/// bounds.
std::vector<double> right_result(const Workload& workload, const LargeJudge& judge, InputSet set) {
  const Reference reference = workload.op->reference(workload, judge.inputs(set));
  std::vector<double> result = reference.expected[0];
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const bool is_exact = set == InputSet::kIntegers && !workload.str().ends_with("gelu");
    if (!is_exact) result[i] += std::uniform_real_distribution<double>(-0.25, 0.25)(random) * reference.bound[0][i];
  }
  return result;
}

TEST_P(LargeChecksOf, AcceptRightResults) {
  const Workload workload = parse_workload(GetParam().workload);
  const LargeJudge judge(workload);
  ASSERT_TRUE(judge.data().large.has_value());
  for (const InputSet set : kSets) {
    if (!judge.has(set)) continue;
    SCOPED_TRACE(index_of(set));
    Evidence evidence;
    EXPECT_EQ(judge.judge(set, judge.in_memory(right_result(workload, judge, set)), evidence), "");
    EXPECT_LT(evidence.largest_error_ratio, 0.8);
  }
}

TEST_P(LargeChecksOf, FindASingleWrongElement) {
  const Workload workload = parse_workload(GetParam().workload);
  const LargeJudge judge(workload);
  const InputSet set = judge.has(InputSet::kIntegers) ? InputSet::kIntegers : InputSet::kUniform;
  const std::vector<double> right = right_result(workload, judge, set);
  ASSERT_TRUE(judge.data().large->lines);
  std::mt19937_64 random(stable_hash(workload.str()));
  double magnitude = 0;
  for (const double value : right) magnitude = std::max(magnitude, std::isnan(value) ? 0 : std::abs(value));
  for (int drawn = 0; drawn < 40; ++drawn) {
    const std::size_t at = random() % right.size();
    if (std::isnan(right[at])) continue;
    std::vector<double> wrong = right;
    wrong[at] += GetParam().has_exact_set ? 1 : magnitude;
    EXPECT_NE(judge.judge(set, wrong), "") << at;
    wrong[at] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(judge.judge(set, wrong), "") << at << " was not written";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Workloads, LargeChecksOf,
    ::testing::Values(
        Kind{"matmul m=133 n=165 k=64", true}, Kind{"matmul m=33 n=1300 k=64 dtype=float64 tb=1", true},
        Kind{"matmul m=133 n=65 k=64 dtype=bfloat16 ta=1", true}, Kind{"matmul m=33 n=165 k=64 dtype=float16", true},
        Kind{"matmul m=33 n=65 k=8192 dtype=float16", true}, Kind{"matmul m=133 n=65 k=9000 precision=tf32", true},
        Kind{"matmul m=1500 n=5 k=70 ta=1", true}, Kind{"matmul m=1500 n=5 k=70 tb=1 epilogue=bias", true},
        Kind{"matmul m=133 n=165 k=64 dtype=int8", true}, Kind{"matmul m=133 n=165 k=9000 dtype=uint8", true},
        Kind{"matmul m=16 n=40 k=20 batch=3 ldb=50 ldc=44 sc=2000 alpha=2 beta=3 epilogue=bias_residual_relu", true},
        Kind{"matmul m=16 n=40 k=20 batch=3 ldc=150 sc=50 beta=-1", true},
        Kind{"matmul m=16 n=40 k=20 batch=2 lda=22 sa=11 epilogue=residual", true},
        Kind{"matmul m=33 n=165 k=64 alpha=0.5 epilogue=bias"}, Kind{"matmul m=33 n=165 k=64 epilogue=bias_gelu"},
        Kind{"conv2d n=2 c=6 h=9 w=8 k=32 r=3 s=3 pad=1 groups=2", true},
        Kind{"conv2d n=2 c=6 h=9 w=8 k=32 r=3 s=3 pad=1 groups=2 layout=NHWC dtype=bfloat16 epilogue=bias_relu", true},
        Kind{"conv2d n=1 c=32 h=9 w=8 k=40 r=3 s=3 stride=2 dtype=float16 epilogue=bias", true},
        Kind{"conv2d n=1 c=3 h=9 w=8 k=40 r=2 s=3 dilation=2 dtype=float64", true},
        Kind{"conv2d n=1 c=3 h=19 w=8 k=40 r=2 s=3 dtype=int8", true},
        Kind{"conv2d n=1 c=3 h=19 w=8 k=4 r=2 s=3", true},
        Kind{"depthwise_conv2d n=2 c=24 h=9 w=8 multiplier=2 r=3 s=3 pad=1 epilogue=bias", true},
        Kind{"depthwise_conv2d n=2 c=24 h=9 w=8 r=3 s=3 layout=NHWC dtype=float16", true},
        Kind{"reduce function=sum shape=40x8x50 axes=1", true}, Kind{"reduce function=sum shape=8x300 axes=0", true},
        Kind{"reduce function=mean shape=400x300 axes=1 dtype=float64"}, Kind{"reduce function=max shape=400x9 axes=1"},
        Kind{"reduce function=min shape=9x400 axes=0 dtype=float64"},
        Kind{"scan function=sum steps=50 columns=140", true}, Kind{"scan function=sum steps=5000 columns=4", true},
        Kind{"scan function=product steps=5000 columns=4"}, Kind{"scan function=max steps=3 columns=40 dtype=float64"},
        Kind{"softmax rows=60 columns=70"}, Kind{"layer_norm rows=60 columns=70"},
        Kind{"layer_norm rows=60 columns=70 dtype=float64 epsilon=1e-12"}, Kind{"transpose rows=130 columns=40"},
        Kind{"transpose rows=130 columns=40 dtype=float64"}, Kind{"broadcast function=multiply rows=130 columns=40"},
        Kind{"broadcast function=divide rows=130 columns=40 vector=column"},
        Kind{"elementwise function=gelu shape=5000"}, Kind{"elementwise function=add shape=5000"}));

TEST(LargeChecks, FindTheLeastErrorOfOneElementOfALargeProduct) {
  const Workload workload = parse_workload("matmul m=512 n=2048 k=96");
  const LargeJudge judge(workload);
  const std::vector<double> right = right_result(workload, judge, InputSet::kIntegers);
  std::vector<std::byte> memory = judge.in_memory(right);
  Evidence evidence;
  ASSERT_EQ(judge.judge(InputSet::kIntegers, memory, evidence), "");
  std::mt19937_64 random(11);
  for (int drawn = 0; drawn < 20; ++drawn) {
    const std::size_t at = random() % right.size();
    const double wrong = right[at] + (drawn % 2 == 0 ? 1 : -1);
    encode_elements(kFloat32, {&wrong, 1}, &memory[at * sizeof(float)]);
    EXPECT_THAT(judge.judge(InputSet::kIntegers, memory, evidence), HasSubstr("parameter 2")) << at;
    encode_elements(kFloat32, {&right[at], 1}, &memory[at * sizeof(float)]);
  }
}

TEST(LargeChecks, FindWhatIsWrittenBetweenTheRows) {
  const Workload workload = parse_workload("matmul m=16 n=40 k=20 batch=3 ldc=44 sc=2000");
  const LargeJudge judge(workload);
  std::vector<double> result = right_result(workload, judge, InputSet::kUniform);
  result[41] = 0;  // behind the first row
  EXPECT_EQ(judge.judge(InputSet::kUniform, result), "parameter 2: it wrote between the rows");
}

TEST(LargeChecks, AreForWhatIsLargeOrTakesLong) {
  const auto is_large = [](const char* text, double seconds) {
    return make_strict_check_data(parse_workload(text), {.seconds = seconds}).large.has_value();
  };
  EXPECT_FALSE(is_large("matmul m=64 n=64 k=64", 1));
  EXPECT_TRUE(is_large("matmul m=64 n=64 k=64", 1e-6));
  EXPECT_TRUE(is_large("matmul m=2048 n=2048 k=2", 1)) << "more than 2^22 elements";
}

TEST(LargeChecks, CompareAllElementsOfASmallResult) {
  const CheckData data = make_strict_check_data(parse_workload("reduce function=sum shape=5000x1000 axes=1"));
  ASSERT_TRUE(data.large);
  EXPECT_EQ(data.large->places.size(), 5000u);
  EXPECT_FALSE(data.large->lines);
}

}  // namespace
}  // namespace nestwright
