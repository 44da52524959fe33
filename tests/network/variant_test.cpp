// Kernels of a graph in other groupings and layouts, and how networks are known.
#include "network/variant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/grouping/grouping.h"
#include "graph/passes/passes.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"
#include "network/identity.h"
#include "network/samples.h"
#include "reference/host_run.h"

namespace nestwright {
namespace {

ValueId weights(Graph& graph, std::vector<std::int64_t> shape) {
  const TensorType type{kFloat32, std::move(shape)};
  std::vector<float> values(static_cast<std::size_t>(type.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37 + 11) % 64) / 64 - .5F;
  return graph.add_constant(type, values);
}

/// Two 1 x 1 convolutions of 32 channels, with a maximum between them.
Graph convolutions(std::int64_t width = 7) {
  Graph graph;
  ValueId x = graph.add_input("x", {kFloat32, {32, 6, width}});
  for (int layer = 0; layer < 2; ++layer) {
    x = graph.apply("Conv", "Y[o,y,x]=sum(c,X[c,y,x]*W[o,c])", {{"X", x}, {"W", weights(graph, {32, 32})}});
    x = graph.apply("Relu", "Y[o,y,x]=max(X[o,y,x],0)", {{"X", x}});
  }
  graph.add_output("y", x);
  return graph;
}

void expect_right(const Graph& graph, const Graph& kernels) {
  const NetworkSamples samples = make_samples(graph);
  Target target = Target::host();
  target.threads = 1;
  Network network(kernels, target);
  std::vector<ArrayRef> given;
  for (const Array& input : samples.inputs) given.emplace_back(input);
  Array output =
      Array::empty(kernels.type(kernels.outputs()[0].value).type, kernels.type(kernels.outputs()[0].value).shape);
  output.fill_bytes(0xff);
  std::vector<ArrayRef> taken{output};
  network.run(given, taken);
  EXPECT_TRUE(samples.outputs[0].error_of(doubles_of(output)));
}

TEST(NetworkVariant, BlockedChannelsComputeTheSame) {
  const Graph graph = convolutions(), groups = joined(graph);
  NetworkVariant variant;
  variant.blocked[16] = {0};
  const Graph kernels = kernels_of_variant(groups, variant);
  EXPECT_GT(network_tasks(kernels).size(), network_tasks(named(groups)).size()) << "there are conversions";
  expect_right(graph, kernels);
}

TEST(NetworkVariant, IsDescribedByTheLabelsOfItsNodes) {
  const Graph groups = joined(convolutions());
  EXPECT_THAT(describe_variant(groups, {}), ::testing::IsEmpty());
  EXPECT_THAT(describe_variant(groups, {{}, {{16, {0, 1}}}}),
              ::testing::ElementsAre(::testing::StartsWith("channels in blocks of 16: Conv")));
  EXPECT_THROW(describe_variant(groups, {{}, {{16, {99}}}}), UsageError);
}

TEST(NetworkVariant, TheDefaultOneIsThatOfAllPasses) {
  const Graph groups = joined(convolutions());
  EXPECT_EQ(identity_of(kernels_of_variant(groups, {})), identity_of(named(groups)));
}

TEST(NetworkVariant, OneOfAnotherGraphIsRefused) {
  const Graph groups = joined(convolutions());
  for (const NetworkVariant& wrong : std::vector<NetworkVariant>{{{{"attention", {0, 1}}}, {}},
                                                                 {{}, {{16, {99}}}},
                                                                 {{}, {{24, {0}}}},
                                                                 {{}, {{1, {0}}}},
                                                                 {{}, {{16, {0}}, {24, {1}}}}}) {
    EXPECT_THROW(kernels_of_variant(groups, wrong), UsageError);
  }
}

TEST(NetworkIdentity, DependsOnShapesAndNotOnWeights) {
  const auto identity = [](const Graph& graph) { return identity_of(joined(graph)); };
  EXPECT_EQ(identity(convolutions()), identity(convolutions()));
  EXPECT_NE(identity(convolutions(7)), identity(convolutions(8)));
  EXPECT_EQ(identity(convolutions()).size(), 16U);
  Graph more = convolutions();
  more.add_output("again", more.outputs()[0].value);
  EXPECT_NE(identity(more), identity(convolutions()));
}

}  // namespace
}  // namespace nestwright
