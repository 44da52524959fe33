// Which nodes may have blocked channels, as their expressions decide.
#include "graph/layout/possible_layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "tests/graph/layout/layer_graph.h"

namespace nestwright {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr int kBlocks[] = {4, 8};
const Layouts kOnlyFile{0}, kAll{0, 4, 8};

class PossibleLayouts : public ::testing::Test {
 protected:
  /// The layouts of the nodes, of which outputs need all.
  std::vector<Layouts> possible(ValueId output) {
    layers_.graph.add_output("y", output);
    return possible_layouts(layers_.graph, kBlocks);
  }
  LayerGraph layers_;
};

TEST_F(PossibleLayouts, LayersAroundAConvolutionFollowIt) {
  const ValueId x = layers_.conv(layers_.input(3), 16);
  const ValueId scaled = layers_.scaled(layers_.max_pool(x), layers_.global_pool(x));
  EXPECT_THAT(possible(layers_.conv_added_to(layers_.depthwise(scaled), x)), Each(kAll));
}

TEST_F(PossibleLayouts, ChannelsAreWholeBlocks) {
  ValueId x = layers_.conv(layers_.input(3), 12);
  x = layers_.conv_1x1(x, 6);
  x = layers_.max_pool(x);
  // Twelve channels are three blocks of 4; six are none of either.
  EXPECT_THAT(possible(x), ElementsAre(Layouts{0, 4}, Layouts{0, 4}, kOnlyFile));
}

TEST_F(PossibleLayouts, LayersWithoutAConvolutionStay) {
  EXPECT_THAT(possible(layers_.add(layers_.max_pool(layers_.input(16)), layers_.graph.inputs()[0].value)),
              Each(kOnlyFile));
}

TEST_F(PossibleLayouts, RowsOfATransformerStay) {
  Graph& graph = layers_.graph;
  const ValueId x = graph.add_input("x", {kFloat32, {16, 6, 8}});  // sentences, tokens, features
  const ValueId q =
      graph.apply("MatMul", "Y[b,i,j]=sum(k,X[b,i,k]*W[k,j])", {{"X", x}, {"W", layers_.weights({8, 8})}});
  const ValueId scores = graph.apply("MatMul", "Y[b,i,j]=sum(k,Q[b,i,k]*X[b,j,k])", {{"Q", q}, {"X", x}});
  const ValueId heads = graph.apply("MatMul", "Y[b,i,j]=sum(k,P[b,i,k]*X[b,k,j])", {{"P", scores}, {"X", x}});
  EXPECT_THAT(possible(heads), Each(kOnlyFile));
}

TEST_F(PossibleLayouts, AWindowOfChannelsStays) {
  const ValueId x = layers_.conv(layers_.input(3), 8);
  const ValueId sums = layers_.graph.apply("LRN", "Y[c,y,x]=sum(d,X[c+d-1,y,x]?0) c=8 d=3", {{"X", x}});
  EXPECT_THAT(possible(layers_.conv(sums, 8)), ElementsAre(kAll, kOnlyFile, kAll));
}

TEST_F(PossibleLayouts, TheArgumentOfTheLargestChannelStays) {
  const ValueId x = layers_.conv(layers_.input(3), 8);
  const ValueId best = layers_.graph.apply("ArgMax", "Y[y,x]=argmax(c,X[c,y,x])", {{"X", x}});
  EXPECT_THAT(possible(best), ElementsAre(kAll, kOnlyFile));
}

TEST_F(PossibleLayouts, AConcatenationStaysWhereItWouldHaveToCopy) {
  const ValueId x = layers_.conv(layers_.input(3), 8);
  const ValueId aligned = layers_.concat(layers_.conv_1x1(x, 4), layers_.conv_1x1(x, 4));
  const ValueId odd = layers_.concat(layers_.conv_1x1(x, 6), layers_.conv_1x1(x, 2));
  EXPECT_THAT(possible(layers_.add(aligned, odd)),
              ElementsAre(kAll, kAll, kAll, Layouts{0, 4}, kAll, kAll, kOnlyFile, Layouts{0, 4}));
}

TEST_F(PossibleLayouts, AViewFollowsIfRowsAndColumnsStay) {
  const ValueId x = layers_.conv(layers_.input(3), 16);
  const ValueId grouped = layers_.grouped(x, 2);  // two views
  const ValueId flat = layers_.graph.reshape(grouped, {480});
  layers_.graph.add_output("flat", flat);
  EXPECT_THAT(possible(layers_.conv(grouped, 8)), ElementsAre(kAll, kAll, kAll, kAll, kOnlyFile, kAll));
}

TEST_F(PossibleLayouts, ConversionsAreThoseBetweenProducersAndReaders) {
  const ValueId x = layers_.conv(layers_.input(8), 12);
  const std::vector<Layouts> layouts = possible(x);
  std::vector<std::tuple<ValueId, int, int>> conversions;
  for (const LayoutConversion& c : possible_conversions(layers_.graph, layouts)) {
    conversions.emplace_back(c.value, c.from, c.to);
  }
  const ValueId input = layers_.graph.inputs()[0].value;
  EXPECT_THAT(conversions, ElementsAre(std::tuple(input, 0, 4), std::tuple(input, 0, 8), std::tuple(x, 4, 0)));
}

TEST_F(PossibleLayouts, BlocksAreMultiplesOfEachOther) {
  layers_.graph.add_output("y", layers_.conv(layers_.input(3), 12));
  EXPECT_THROW(possible_layouts(layers_.graph, std::vector<int>{4, 6}), InternalError);
}

}  // namespace
}  // namespace nestwright
