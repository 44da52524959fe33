// The data of self-tests, and that they pass a correct kernel of each operator and no wrong one.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "export_fixture.h"
#include "exporter/self_test_data.h"
#include "support/error.h"
#include "templates/registry.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

bool has(const std::vector<std::int64_t>& numbers, std::int64_t number) {
  return std::binary_search(numbers.begin(), numbers.end(), number);
}

TEST(ChosenElements, AreAllOfASmallTensor) {
  EXPECT_EQ(choose_elements({}), (std::vector<std::int64_t>{0}));
  const std::vector<std::int64_t> numbers = choose_elements({16, 256});
  ASSERT_EQ(numbers.size(), 4096u);
  EXPECT_EQ(numbers.back(), 4095);
}

TEST(ChosenElements, HaveCornersEdgesAndTailsOfALargeOne) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1000, 1000},
                                                 {1, 1000000},
                                                 {7, 1, 100, 300},
                                                 {4097},
                                                 {3, 3, 3, 3, 3, 3, 3, 3, 3},
                                                 std::vector<std::int64_t>(13, 2)}) {
    const std::vector<std::int64_t> numbers = choose_elements(shape);
    std::int64_t all = 1;
    for (const std::int64_t extent : shape) all *= extent;
    EXPECT_GE(numbers.size(), 4096u);
    EXPECT_LE(numbers.size(), 4400u);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
    EXPECT_GE(numbers.front(), 0);
    EXPECT_LT(numbers.back(), all);
  }
  const std::vector<std::int64_t> numbers = choose_elements({1000, 2000});
  for (const std::int64_t corner : {0, 1999, 999 * 2000, 999 * 2000 + 1999}) EXPECT_TRUE(has(numbers, corner));
  for (std::int64_t n = 0; n < 16; ++n) {
    EXPECT_TRUE(has(numbers, 1999 - n));                 // the end of the first row
    EXPECT_TRUE(has(numbers, (999 - n) * 2000 + 1999));  // the end of the last column
  }
  // No part of the rows or columns is left out: about 20 elements in each 16th of them.
  for (std::int64_t part = 0; part < 16; ++part) {
    const auto rows =
        std::count_if(numbers.begin(), numbers.end(), [&](auto n) { return n / 2000 * 16 / 1000 == part; });
    const auto columns =
        std::count_if(numbers.begin(), numbers.end(), [&](auto n) { return n % 2000 * 16 / 2000 == part; });
    EXPECT_GT(rows, 20);
    EXPECT_GT(columns, 20);
  }
}

TEST(ChosenElements, HaveCornersOfElevenDimensions) {
  const std::vector<std::int64_t> numbers = choose_elements(std::vector<std::int64_t>(11, 3));
  for (std::uint32_t corner = 0; corner < 1u << 11; ++corner) {
    std::int64_t number = 0;
    for (int d = 0; d < 11; ++d) number = 3 * number + ((corner >> d & 1) != 0 ? 2 : 0);
    EXPECT_TRUE(has(numbers, number)) << corner;
  }
}

TEST(SelfTestData, AnIncompleteReferenceIsRefusedByTheOperatorsName) {
  Operator op = *builtin_registry().find_operator("matmul");
  op.reference = [](const Workload&, const HostTensors&) {
    Reference reference = one_result(6);
    reference.bound.clear();
    return reference;
  };
  const Workload workload = parse_workload("matmul m=2 n=3 k=4", std::make_shared<const Operator>(op));
  EXPECT_EQ(message<UsageError>([&] { make_self_test_data(workload, op.define(workload)); }),
            "what the function 'reference' of the operator 'matmul' returns does not fit matmul m=2 n=3 k=4: return "
            "bounds for each output (1, not 0)");
}

/// `workload`, exported for one thread as `k`, with its self-test.
class SelfTest : public ExportTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SelfTest, PassesTheRightKernelOnly) {
  export_default(GetParam(), host_with(1), "k");
  const CommandResult right = build_and_run("k");
  EXPECT_EQ(right.code, 0) << right.output;
  EXPECT_THAT(right.output, HasSubstr("elements checked, all right"));
  const Workload workload = parse_workload(GetParam());
  const std::string output = workload.op->define(workload).args.back().name();
  plant(fmt::format("  {0}_at[{0}_place({0}_expected[{0}_checked / 2].element)] += 1;\n", output));
  const CommandResult wrong = build_and_run("k");
  EXPECT_EQ(wrong.code, 1) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr(", expected "));
}

INSTANTIATE_TEST_SUITE_P(Exporter, SelfTest,
                         ::testing::Values("matmul m=19 n=37 k=11", "matmul m=19 n=37 k=11 dtype=float64 ldc=40",
                                           "matmul m=100 n=101 k=33 batch=2 epilogue=bias_gelu",
                                           "elementwise function=tanh shape=33x70",
                                           "broadcast function=add_gelu rows=130 columns=77",
                                           "reduce function=sum shape=64x7x9 axes=1,2", "softmax rows=70 columns=101",
                                           "layer_norm rows=33 columns=257", "transpose rows=101 columns=77"));

TEST_F(SelfTest, ASumSeesAnIntegerThatIsNotInTheList) {
  export_default("matmul m=100 n=100 k=16 dtype=int8", host_with(1), "k");
  plant("  long other = 0;\n  while (C_expected[other].element == other) ++other;\n  C_at[other] += 1;\n");
  const CommandResult wrong = build_and_run("k");
  EXPECT_EQ(wrong.code, 1) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr("k: some element of C is wrong: their sum is "));
}

}  // namespace
}  // namespace nestwright
