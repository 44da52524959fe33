// The data of self-tests, and that they pass a correct kernel of each operator and no wrong one.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "export_fixture.h"
#include "exporter/self_test/self_test_data.h"
#include "exporter/self_test/self_test_inputs.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

TEST(SelfTestData, AnIncompleteReferenceIsRefusedByTheOperatorsName) {
  Operator op = *builtin_registry().find_operator("matmul");
  op.large = {};
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

TEST(SelfTestInputs, AreThoseThatTheTestDrawsOneAfterTheOther) {
  const Workload workload = parse_workload("matmul m=40 n=30 k=300 dtype=uint8");
  const Definition definition = workload.op->define(workload);
  const InputValues inputs = self_test_inputs(definition, {std::nullopt, DataRange{-3, 4}});
  std::vector<double> drawn;
  std::uint64_t state = 88172645463325252u;
  for (std::size_t i = 0; i < 40 * 300 + 300 * 30; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const double uniform = static_cast<double>(state >> 11) * 0x1p-52 - 1;
    drawn.push_back(i < 40 * 300 ? std::trunc(128 * uniform + 128) : -3 + std::floor((uniform + 1) / 2 * 8));
  }
  ASSERT_EQ(inputs[0]->size(), 40u * 300);
  std::vector<double> a(40 * 300), column(300), few(3);
  inputs[0]->read(0, 1, a);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), drawn.begin()));
  inputs[1]->read(7, 30, column);
  inputs[1]->read(29, 90, few);
  for (std::size_t r = 0; r < column.size(); ++r) EXPECT_EQ(column[r], drawn[40 * 300 + 7 + 30 * r]);
  for (std::size_t r = 0; r < few.size(); ++r) EXPECT_EQ(few[r], drawn[40 * 300 + 29 + 90 * r]);
  EXPECT_EQ((*inputs[0])[12], drawn[12]);
}

// All elements would take gigabytes, and a minute.
TEST(SelfTestData, OfALargeKernelNeedsOnlyTheElementsThatAreKept) {
  for (const char* text :
       {"matmul m=8388608 n=128 k=64", "softmax rows=65536 columns=4096",
        "conv2d n=32 c=64 h=224 w=224 k=64 r=3 s=3 pad=1", "elementwise function=add shape=1000000000"}) {
    const Workload workload = parse_workload(text);
    const std::vector<SelfTestData> data = make_self_test_data(workload, workload.op->define(workload));
    ASSERT_EQ(data.size(), 1u);
    EXPECT_GE(data[0].expected.size(), 4096u);
    for (const ExpectedElement& element : data[0].expected) EXPECT_TRUE(std::isfinite(element.value));
  }
}

TEST(SelfTestData, HasTheElementsOfTheWholeReference) {
  for (const char* text : {"matmul m=90 n=101 k=33 batch=2 ldc=110 epilogue=bias_gelu",
                           "conv2d n=2 c=6 h=29 w=28 k=12 r=3 s=3 pad=1 groups=2 epilogue=bias_relu",
                           "conv2d n=2 c=6 h=29 w=28 k=12 r=3 s=3 stride=2 layout=NHWC",
                           "scan function=sum steps=100 columns=50", "layer_norm rows=100 columns=50",
                           "reduce function=mean shape=9x50x100 axes=0", "transpose rows=100 columns=50"}) {
    const Workload workload = parse_workload(text);
    const Definition definition = workload.op->define(workload);
    const std::vector<SelfTestData> data = make_self_test_data(workload, definition);
    Operator whole = *workload.op;
    whole.large = {};
    const Workload by_whole = parse_workload(text, std::make_shared<const Operator>(whole));
    const std::vector<SelfTestData> expected = make_self_test_data(by_whole, definition);
    ASSERT_EQ(data[0].expected.size(), expected[0].expected.size()) << text;
    for (std::size_t i = 0; i < data[0].expected.size(); ++i) {
      const ExpectedElement &got = data[0].expected[i], &wanted = expected[0].expected[i];
      ASSERT_EQ(got.element, wanted.element) << text;
      ASSERT_NEAR(got.value, wanted.value, 1e-12 * (1 + std::abs(wanted.value))) << text << " element " << got.element;
      ASSERT_NEAR(got.bound, wanted.bound, 1e-9 * wanted.bound) << text << " element " << got.element;
    }
  }
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

}  // namespace
}  // namespace nestwright
