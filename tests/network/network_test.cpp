// Compiled networks compute what their graphs say.
#include "nestwright/model/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "graph/grouping/grouping.h"
#include "graph/passes/passes.h"
#include "nestwright/error.h"
#include "network/plan.h"
#include "network/samples.h"
#include "reference/host_run.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

class NetworkTest : public ::testing::Test {
 protected:
  static Target host_with(int threads) {
    Target target = Target::host();
    target.threads = threads;
    return target;
  }

  ValueId weights(std::vector<std::int64_t> shape) {
    const TensorType type{kFloat32, std::move(shape)};
    std::vector<float> values(static_cast<std::size_t>(type.elements()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37 + 11) % 64) / 64 - .5F;
    return graph_.add_constant(type, values);
  }
  ValueId product(ValueId x, std::int64_t in, std::int64_t out) {
    return graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", x}, {"W", weights({in, out})}});
  }
  ValueId relu(ValueId x) { return graph_.apply("Relu", "Y[i,j]=max(X[i,j],0)", {{"X", x}}); }

  /// Compiles the graph, runs it, and compares all elements.
  void expect_right(int threads = 2) {
    const Graph kernels = with_kernels(graph_);
    const NetworkSamples samples = make_samples(graph_);
    Network network(kernels, host_with(threads));
    std::vector<Array> outputs;
    std::vector<ArrayRef> given, taken;
    for (const Array& input : samples.inputs) given.emplace_back(input);
    for (const GraphPort& port : kernels.outputs()) {
      outputs.push_back(Array::empty(kernels.type(port.value).type, kernels.type(port.value).shape));
      outputs.back().fill_bytes(0xff);
    }
    for (Array& output : outputs) taken.emplace_back(output);
    for (int turn = 0; turn < 2; ++turn) network.run(given, taken);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      EXPECT_TRUE(samples.outputs[o].error_of(doubles_of(outputs[o]))) << "output " << o;
    }
  }

  Graph graph_;
};

TEST_F(NetworkTest, LayersRunOneAfterTheOther) {
  const ValueId x = graph_.add_input("x", {kFloat32, {5, 16}});
  const ValueId hidden = relu(product(x, 16, 32));
  graph_.add_output("y", product(relu(product(hidden, 32, 32)), 32, 8));
  for (const int threads : {1, 2}) expect_right(threads);
}

TEST(ExpectedTensor, FindsWrongElements) {
  const double inf = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  const ExpectedTensor expected{{1, inf, none, 4}, 0.5};
  EXPECT_EQ(expected.error_of({1.25, inf, none, 4}), 0.5);
  for (const std::vector<double>& wrong : std::vector<std::vector<double>>{
           {1.75, inf, none, 4}, {1, -inf, none, 4}, {1, inf, 3, 4}, {1, inf, none, none}, {inf, inf, none, 4}}) {
    EXPECT_FALSE(expected.error_of(wrong));
  }
}

TEST_F(NetworkTest, EqualLayersShareTheirKernel) {
  ValueId x = graph_.add_input("x", {kFloat32, {5, 16}});
  for (int layer = 0; layer < 4; ++layer) x = relu(product(x, 16, 16));
  graph_.add_output("y", x);
  const Network network(with_kernels(graph_), host_with(1));
  EXPECT_EQ(network.kernels(), 1U);
  EXPECT_EQ(network.steps(), 4U);
  expect_right();
}

TEST_F(NetworkTest, AnOutputMayBeAnInputAConstantAViewOrAnotherOutput) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 6}});
  const ValueId y = relu(x);
  graph_.add_output("input", x);
  graph_.add_output("constant", weights({3, 3}));
  graph_.add_output("y", y);
  graph_.add_output("again", y);
  graph_.add_output("view", graph_.reshape(y, {24}));
  expect_right();
}

TEST_F(NetworkTest, AnOutputMayBeReadByLaterKernels) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 16}});
  const ValueId y = product(x, 16, 16);
  graph_.add_output("y", y);
  graph_.add_output("z", product(y, 16, 8));
  expect_right();
}

TEST_F(NetworkTest, ConstantsAreComputedOnce) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 8}});
  const ValueId w = weights({8, 8});
  const ValueId doubled = graph_.apply("Add", "Y[i,j]=A[i,j]+A[i,j]", {{"A", w}});
  graph_.add_output("y", graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", x}, {"W", doubled}}));
  const Network network(with_kernels(graph_), host_with(1));
  EXPECT_EQ(network.steps(), 1U);
  expect_right();
}

TEST_F(NetworkTest, IntegersAndTruthValuesPass) {
  const ValueId x = graph_.add_input("x", {kInt64, {6}});
  const ValueId table = weights({4, 3});
  graph_.add_output("y", graph_.apply("Gather", "Y[i,j]=T[clamp(I[i],0,3),j]", {{"T", table}, {"I", x}}));
  graph_.add_output("z", graph_.apply("Equal", "Y[i]=I[i]==1", {{"I", x}}));
  expect_right();
}

TEST_F(NetworkTest, PartsThatFollowEachOtherCostNothing) {
  const ValueId x = graph_.add_input("x", {kFloat32, {8, 16}});
  const ValueId a = product(x, 16, 16), b = product(a, 16, 16);
  const ValueId joined = graph_.apply("Concat", "Y[i,j]=select(i<8,A[i,j],B[i-8,j]) i=16 j=16", {{"A", a}, {"B", b}});
  const ValueId half = graph_.apply("Slice", "Y[i,j]=X[i+4,j] i=8", {{"X", joined}});
  graph_.add_output("y", product(half, 16, 8));
  graph_.add_output("z", joined);
  EXPECT_EQ(Network(with_kernels(graph_), host_with(1)).steps(), 3U);
  expect_right();
}

TEST_F(NetworkTest, SiblingsAreOneKernelWhosePartsCostNothing) {
  const ValueId x = graph_.add_input("x", {kFloat32, {6, 16}});
  const ValueId q = product(x, 16, 8), k = product(x, 16, 8), v = product(x, 16, 8);
  const ValueId scores = graph_.apply("Scores", "Y[i,j]=sum(d,Q[i,d]*K[j,d])", {{"Q", q}, {"K", k}});
  graph_.add_output("y", graph_.apply("MatMul", "Y[i,d]=sum(j,P[i,j]*V[j,d])", {{"P", scores}, {"V", v}}));
  const Graph plain = joined(graph_);
  EXPECT_EQ(Network(named(plain), host_with(1)).steps(), 5U);
  std::vector<GroupingSite> sites = grouping_sites(plain);
  std::erase_if(sites, [](const GroupingSite& site) { return site.kind != "siblings"; });
  graph_ = with_groupings(plain, sites, std::vector<bool>(sites.size(), true));
  EXPECT_EQ(Network(named(graph_), host_with(1)).steps(), 3U);
  expect_right();
}

TEST_F(NetworkTest, APartThatIsThereTwiceIsCopied) {
  const ValueId x = graph_.add_input("x", {kFloat32, {8, 16}});
  const ValueId a = product(x, 16, 16), b = product(a, 16, 16);
  graph_.add_output("y", graph_.apply("Concat", "Y[i,j]=select(i<8,A[i,j],select(i<16,B[i-8,j],A[i-16,j])) i=24 j=16",
                                      {{"A", a}, {"B", b}}));
  expect_right();
}

TEST_F(NetworkTest, NumbersAloneAreComputedInDoubleToo) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 8}});
  const ValueId mask = graph_.add_input("mask", {kBool, {4, 8}});
  const ValueId bias = graph_.apply("Where", "Y[i,j]=select(M[i,j],0.0,-10000.0)", {{"M", mask}});
  graph_.add_output("y", graph_.apply("Add", "Y[i,j]=X[i,j]+B[i,j]", {{"X", x}, {"B", bias}}));
  graph_.add_output("bias", bias);
  expect_right();
}

TEST_F(NetworkTest, WrongArgumentsAreRefused) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 8}});
  graph_.add_output("y", relu(x));
  Network network(with_kernels(graph_), host_with(1));
  Array right = Array::empty(kFloat32, {4, 8}), wrong = Array::empty(kFloat32, {8, 4}),
        y = Array::empty(kFloat32, {4, 8});
  const std::vector<ArrayRef> outputs{y};
  const auto run = [&](std::vector<ArrayRef> inputs) { network.run(inputs, outputs); };
  run({right});
  EXPECT_THAT([&] { run({wrong}); }, ::testing::ThrowsMessage<UsageError>(HasSubstr("x is float32[8, 4]")));
  EXPECT_THAT([&] { run({}); }, ::testing::ThrowsMessage<UsageError>(HasSubstr("0 inputs and 1 outputs")));
}

TEST_F(NetworkTest, MemoryThatIsReadOnlyOrSharedIsNoOutput) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 8}});
  graph_.add_output("y", relu(x));
  Network network(with_kernels(graph_), host_with(1));
  Array a = Array::empty(kFloat32, {4, 8});
  const Array constant = Array::empty(kFloat32, {4, 8});
  a.fill_bytes(0);
  const auto run = [&](const ArrayRef& input, const ArrayRef& output) {
    network.run(std::vector<ArrayRef>{input}, std::vector<ArrayRef>{output});
  };
  EXPECT_THAT([&] { run(a, constant); }, ::testing::ThrowsMessage<UsageError>(HasSubstr("read-only")));
  EXPECT_THAT([&] { run(a, a); }, ::testing::ThrowsMessage<UsageError>(HasSubstr("overlaps")));
}

TEST_F(NetworkTest, DevicesAreRefused) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 8}});
  graph_.add_output("y", relu(x));
  Target target = Target::host();
  target.device = DeviceKind::kOpenCl;
  EXPECT_THAT([&] { Network(with_kernels(graph_), target); },
              ::testing::ThrowsMessage<UsageError>(HasSubstr("for CPUs only")));
}

TEST_F(NetworkTest, APlanPutsResultsWhereTheyAreWanted) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 16}});
  const ValueId y = product(relu(product(x, 16, 16)), 16, 8);
  graph_.add_output("y", y);
  const Graph kernels = with_kernels(graph_);
  const NetworkPlan plan = plan_network(kernels);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.arena_bytes, 4U * 16 * 4);
  EXPECT_EQ(plan.steps[0].buffers.back(), (Place{Place::In::kArena, 0, 0}));
  EXPECT_EQ(plan.steps[1].buffers.back(), (Place{Place::In::kOutput, 0, 0}));
  EXPECT_TRUE(plan.copies.empty());
}

}  // namespace
}  // namespace nestwright
