// Checks runs of graphs by plain loops (examples/mnist/unscheduled.h).
#include "examples/mnist/unscheduled.h"

#include <gmock/gmock.h>

#include <vector>

namespace mnist {
namespace {

using namespace nestwright;
using ::testing::ElementsAre;

TEST(UnscheduledNetwork, ComputesViewsConstantsAndSeveralOutputs) {
  Graph graph;
  const ValueId x = graph.add_input("x", {kFloat32, {2, 3}});
  const ValueId w = graph.add_constant({kFloat32, {3}}, std::vector<float>{1, 10, 100});
  const ValueId y = graph.apply("Scale", "Y[i, j] = X[i, j] * W[j]", {{"X", x}, {"W", w}});
  const ValueId flat = graph.reshape(y, {6});
  graph.add_output("flat", flat);
  graph.add_output("twice", graph.apply("Add", "Y[i] = A[i] + B[i]", {{"A", flat}, {"B", flat}}));
  graph.add_output("x", x);

  UnscheduledNetwork network(graph);
  std::vector<float> in{1, 2, 3, 4, 5, 6}, out(18);
  const ArrayView from(in.data(), kFloat32, {2, 3}), flat_to(&out[0], kFloat32, {6}), twice_to(&out[6], kFloat32, {6}),
      x_to(&out[12], kFloat32, {2, 3});
  network.run(std::vector<ArrayRef>{from}, std::vector<ArrayRef>{flat_to, twice_to, x_to});
  EXPECT_THAT(out, ElementsAre(1, 20, 300, 4, 50, 600, 2, 40, 600, 8, 100, 1200, 1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace mnist
