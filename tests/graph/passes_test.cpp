// Passes keep what a graph computes, and make the kernels that one expects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/passes/passes.h"
#include "nestwright/model/graph.h"
#include "tests/graph/graph_runs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The ops of the nodes that are neither views nor computed from constants alone.
std::vector<std::string> kernels_of(const Graph& graph) {
  std::vector<std::string> ops;
  for (const GraphNode& node : graph.nodes()) {
    if (!node.is_view() && !graph.value(node.outputs[0]).is_constant) ops.push_back(node.op);
  }
  return ops;
}

/// Runs all passes, and compares what the graphs compute after each of them.
Graph checked_passes(const Graph& graph) {
  const std::vector<std::vector<double>> expected = outputs_of_run(graph);
  return optimized(graph, [&](const GraphPass& pass, const Graph& after) {
    const std::vector<std::vector<double>> actual = outputs_of_run(after);
    ASSERT_EQ(expected.size(), actual.size()) << pass.name;
    for (std::size_t o = 0; o < expected.size(); ++o) {
      ASSERT_EQ(after.type(after.outputs()[o].value), graph.type(graph.outputs()[o].value)) << pass.name;
      ASSERT_EQ(expected[o].size(), actual[o].size()) << pass.name;
      for (std::size_t i = 0; i < expected[o].size(); ++i) {
        ASSERT_NEAR(expected[o][i], actual[o][i], 1e-4 * (1 + std::abs(expected[o][i]))) << pass.name;
      }
    }
  });
}

class GraphPasses : public ::testing::Test {
 protected:
  ValueId weights(std::vector<std::int64_t> shape, float low = -1) {
    const TensorType type{kFloat32, std::move(shape)};
    return graph_.add_constant(type, random_numbers(type, 100 + static_cast<unsigned>(graph_.values().size()), low));
  }
  ValueId conv(ValueId x, ValueId w, ValueId b) {
    return graph_.apply("Conv",
                        "Y[n,o,y,x]=sum(c,r,s,X[n,c,y+r-1,x+s-1]?0*W[o,c,r,s])+B[o] n=1 o=5 y=6 x=6 c=3 r=3 s=3",
                        {{"X", x}, {"W", w}, {"B", b}});
  }
  ValueId relu(ValueId x) { return graph_.apply("Relu", "Y[a,b,c,d]=max(X[a,b,c,d],0)", {{"X", x}}); }

  Graph graph_;
};

TEST_F(GraphPasses, AConvolutionTakesItsNormAndActivationAlong) {
  const ValueId x = graph_.add_input("x", {kFloat32, {1, 3, 6, 6}});
  const ValueId y = conv(x, weights({5, 3, 3, 3}), weights({5}));
  const ValueId normed =
      graph_.apply("BatchNormalization", "Y[a,b,c,d]=(X[a,b,c,d]-M[b])/sqrt(V[b]+1e-5)*S[b]+T[b]",
                   {{"X", y}, {"M", weights({5})}, {"V", weights({5}, .1F)}, {"S", weights({5})}, {"T", weights({5})}});
  graph_.add_output("y", relu(normed));
  const Graph result = checked_passes(graph_);
  EXPECT_THAT(kernels_of(result), ElementsAre("Conv+BatchNormalization+Relu"));
  for (const GraphNode& node : result.nodes()) {
    if (node.is_view() || result.value(node.outputs[0]).is_constant) continue;
    EXPECT_EQ(result.expression_of(node),
              "T[i0,i1,i2]=sum(i3,i4,i5,A[i3,i1+i4-1,i2+i5-1]?0*B[i0,i3,i4,i5]);"
              "Y[i0,i1,i2]=max(T[i0,i1,i2]+C[i0],0);A:float32[n0,n1,n2];B:constant;C:constant "
              "i0=5 i1=6 i2=6 i3=3 i4=3 i5=3 n0=3 n1=6 n2=6");
  }
}

TEST_F(GraphPasses, AScaleAndAnOffsetAreFoldedOneAfterTheOther) {
  const ValueId x = graph_.add_input("x", {kFloat32, {1, 3, 6, 6}});
  ValueId y = conv(x, weights({5, 3, 3, 3}), weights({5}));
  y = graph_.apply("Mul", "Y[a,b,c,d]=X[a,b,c,d]*S[b,0,0]", {{"X", y}, {"S", weights({5, 1, 1})}});
  y = graph_.apply("Add", "Y[a,b,c,d]=T[0,b,0,0]+X[a,b,c,d]", {{"X", y}, {"T", weights({1, 5, 1, 1})}});
  graph_.add_output("y", y);
  EXPECT_THAT(kernels_of(checked_passes(graph_)), ElementsAre("Conv+Mul+Add"));
}

TEST_F(GraphPasses, AnActivationOfSeveralNodesJoinsAsAWhole) {
  const ValueId x = graph_.add_input("x", {kFloat32, {1, 3, 6, 6}});
  const ValueId y = conv(x, weights({5, 3, 3, 3}), weights({5}));
  const ValueId three = graph_.add_constant({kFloat32, {1}}, std::vector<float>{3});
  const ValueId six = graph_.add_constant({kFloat32, {1}}, std::vector<float>{6});
  const ValueId sum = graph_.apply("Add", "Y[a,b,c,d]=X[a,b,c,d]+Z[0]", {{"X", y}, {"Z", three}});
  const ValueId clipped = graph_.apply("Clip", "Y[a,b,c,d]=clamp(X[a,b,c,d],0,6)", {{"X", sum}});
  const ValueId product = graph_.apply("Mul", "Y[a,b,c,d]=X[a,b,c,d]*Z[a,b,c,d]", {{"X", y}, {"Z", clipped}});
  graph_.add_output("y", graph_.apply("Div", "Y[a,b,c,d]=X[a,b,c,d]/Z[0]", {{"X", product}, {"Z", six}}));
  const Graph result = checked_passes(graph_);
  EXPECT_THAT(kernels_of(result), ElementsAre("Conv+Add+Clip+Mul+Div"));
}

TEST_F(GraphPasses, AResidualJoinsTheLastOfItsConvolutions) {
  const ValueId x = graph_.add_input("x", {kFloat32, {1, 3, 6, 6}});
  const ValueId a = relu(conv(x, weights({5, 3, 3, 3}), weights({5})));
  const ValueId b = conv(x, weights({5, 3, 3, 3}), weights({5}));
  const ValueId sum = graph_.apply("Add", "Y[a,b,c,d]=P[a,b,c,d]+Q[a,b,c,d]", {{"P", b}, {"Q", a}});
  graph_.add_output("y", relu(sum));
  EXPECT_THAT(kernels_of(checked_passes(graph_)), ElementsAre("Conv+Relu", "Conv+Add+Relu"));
}

TEST_F(GraphPasses, NodesThatReadDifferentRowsHaveOneExpression) {
  const ValueId x = graph_.add_input("x", {kFloat32, {3, 4}});
  const ValueId all = graph_.apply("MatMul", "Y[t,j]=sum(k,X[t,k]*W[k,j])", {{"X", x}, {"W", weights({4, 6})}});
  const ValueId recurrent = weights({6, 6});
  ValueId state = graph_.add_input("h", {kFloat32, {6}});
  for (const char* const row : {"Y[j]=X[0,j]", "Y[j]=X[1,j]", "Y[j]=X[2,j]"}) {
    const ValueId now = graph_.apply("Slice", row, {{"X", all}});
    state = graph_.apply("Step", "Y[j]=tanh(X[j]+sum(k,H[k]*R[j,k]))", {{"X", now}, {"H", state}, {"R", recurrent}});
  }
  graph_.add_output("y", state);
  const Graph result = checked_passes(graph_);
  std::vector<std::string> steps;
  for (const GraphNode& node : result.nodes()) {
    if (node.op == "Step") steps.push_back(result.expression_of(node));
  }
  EXPECT_THAT(steps, ::testing::AllOf(::testing::SizeIs(3), ::testing::Each(steps[0])));
}

TEST_F(GraphPasses, AResultIsComputedInTheOrderOfItsTransposition) {
  const ValueId p = graph_.add_input("p", {kFloat32, {3, 5, 4}}), v = graph_.add_input("v", {kFloat32, {3, 4, 6}});
  const ValueId heads = graph_.apply("MatMul", "Y[h,i,d]=sum(t,P[h,i,t]*V[h,t,d])", {{"P", p}, {"V", v}});
  const ValueId rows = graph_.apply("Transpose", "Y[i,h,d]=X[h,i,d]", {{"X", heads}});
  const ValueId joined = graph_.reshape(rows, {5, 18});
  graph_.add_output("y",
                    graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", joined}, {"W", weights({18, 7})}}));
  EXPECT_THAT(kernels_of(checked_passes(graph_)), ElementsAre("MatMul", "MatMul"));
}

TEST_F(GraphPasses, ChannelsAreShuffledByTheKernelThatComputesThem) {
  const ValueId x = graph_.add_input("x", {kFloat32, {2, 3, 6, 6}});
  const ValueId sums =
      graph_.apply("Conv", "Y[g,o,y,x]=sum(c,X[g,c,y,x]*W[g,o,c])", {{"X", x}, {"W", weights({2, 4, 3})}});
  const ValueId shuffled = graph_.apply("Transpose", "Y[a,b,c,d]=X[b,a,c,d]", {{"X", relu(sums)}});
  graph_.add_output("y", graph_.reshape(shuffled, {1, 8, 6, 6}));
  EXPECT_THAT(kernels_of(checked_passes(graph_)), ElementsAre("Conv+Relu"));
}

TEST_F(GraphPasses, AResultThatOthersReadOrWhoseRowsWouldBeColumnsKeepsItsOrder) {
  const ValueId x = graph_.add_input("x", {kFloat32, {3, 5}}), w = weights({5, 4});
  const ValueId product = graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", x}, {"W", w}});
  const ValueId other = graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", x}, {"W", weights({5, 6})}});
  const ValueId blocks = graph_.reshape(other, {3, 2, 3});
  graph_.add_output("columns", graph_.apply("Transpose", "Y[j,i]=X[i,j]", {{"X", product}}));
  graph_.add_output("blocks", graph_.apply("Transpose", "Y[j,i,k]=X[i,j,k]", {{"X", blocks}}));
  graph_.add_output("other", other);
  EXPECT_THAT(kernels_of(checked_passes(graph_)), ElementsAre("MatMul", "MatMul", "Transpose", "Transpose"));
}

TEST_F(GraphPasses, AValueThatIsReadTwiceOrReturnedIsStored) {
  const ValueId x = graph_.add_input("x", {kFloat32, {1, 3, 6, 6}});
  const ValueId y = conv(x, weights({5, 3, 3, 3}), weights({5}));
  graph_.add_output("y", y);
  graph_.add_output("z", relu(y));
  EXPECT_THAT(kernels_of(checked_passes(graph_)), ElementsAre("Conv", "Relu"));
}

TEST_F(GraphPasses, ViewsMoveBehindActivations) {
  const ValueId x = graph_.add_input("x", {kFloat32, {1, 6, 5, 5}});
  ValueId y =
      graph_.apply("Conv", "Y[n,g,o,y,x]=sum(c,r,s,X[n,g*3+c,y+r,x+s]*W[g*4+o,c,r,s]) n=1 g=2 o=4 y=3 x=3 c=3 r=3 s=3",
                   {{"X", x}, {"W", weights({8, 3, 3, 3})}});
  y = graph_.reshape(y, {1, 8, 3, 3});
  y = graph_.apply("Add", "Y[a,b,c,d]=X[a,b,c,d]+T[b]", {{"X", y}, {"T", weights({8})}});
  graph_.add_output("y", relu(y));
  const Graph result = checked_passes(graph_);
  EXPECT_THAT(kernels_of(result), ElementsAre("Conv+Add+Relu"));
  EXPECT_TRUE(result.nodes().back().is_view());
}

TEST_F(GraphPasses, TransposesAndPaddingsAreReadThrough) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 7}});
  const ValueId t = graph_.apply("Transpose", "Y[a,b]=X[b,a]", {{"X", x}});
  const ValueId padded = graph_.apply("Pad", "Y[a,b]=X[a-1,b-2]?0 a=9 b=8", {{"X", t}});
  const ValueId y = graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", padded}, {"W", weights({8, 3})}});
  graph_.add_output("y", y);
  const Graph result = checked_passes(graph_);
  EXPECT_THAT(kernels_of(result), ElementsAre("MatMul"));
  EXPECT_THAT(result.expression_of(result.nodes().back()), HasSubstr("A[i2-2,i0-1]?0"));
}

TEST_F(GraphPasses, ANormOfSeveralNodesIsOneKernelOfRows) {
  const ValueId x = graph_.add_input("x", {kFloat32, {2, 4, 8}});
  const auto apply = [&](const char* op, const char* text, const std::vector<GraphOperand>& operands) {
    return graph_.apply(op, text, operands);
  };
  const ValueId mean = apply("ReduceMean", "Y[a,b,z]=sum(c,X[a,b,c])/8.0 z=1", {{"X", x}});
  const ValueId centred = apply("Sub", "Y[a,b,c]=X[a,b,c]-M[a,b,0]", {{"X", x}, {"M", mean}});
  const ValueId squares = apply("Pow", "Y[a,b,c]=X[a,b,c]*X[a,b,c]", {{"X", centred}});
  const ValueId variance = apply("ReduceMean", "Y[a,b,z]=sum(c,X[a,b,c])/8.0 z=1", {{"X", squares}});
  const ValueId deviation = apply("Sqrt", "Y[a,b,z]=sqrt(X[a,b,z]+1e-5)", {{"X", variance}});
  const ValueId normed = apply("Div", "Y[a,b,c]=X[a,b,c]/S[a,b,0]", {{"X", centred}, {"S", deviation}});
  graph_.add_output("y", apply("Mul", "Y[a,b,c]=X[a,b,c]*G[c]", {{"X", normed}, {"G", weights({8})}}));
  const Graph result = checked_passes(graph_);
  EXPECT_EQ(kernels_of(result).size(), 1U);
}

TEST_F(GraphPasses, AProductDoesNotJoinTheRowsOfASoftmax) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 8}});
  const ValueId y = graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", x}, {"W", weights({8, 8})}});
  const ValueId most = graph_.apply("ReduceMax", "Y[i,z]=max(j,X[i,j]) z=1", {{"X", y}});
  const ValueId shifted = graph_.apply("Sub", "Y[i,j]=X[i,j]-M[i,0]", {{"X", y}, {"M", most}});
  const ValueId raised = graph_.apply("Exp", "Y[i,j]=exp(X[i,j])", {{"X", shifted}});
  const ValueId total = graph_.apply("ReduceSum", "Y[i,z]=sum(j,X[i,j]) z=1", {{"X", raised}});
  graph_.add_output("y", graph_.apply("Div", "Y[i,j]=X[i,j]/S[i,0]", {{"X", raised}, {"S", total}}));
  EXPECT_THAT(kernels_of(checked_passes(graph_)), ElementsAre("MatMul", "ReduceMax+Sub+Exp+ReduceSum+Div"));
}

TEST_F(GraphPasses, AnIndexThatIsAnElementIsNotReadThrough) {
  const ValueId a = graph_.add_input("a", {kFloat32, {8}}), b = graph_.add_input("b", {kFloat32, {8}});
  const ValueId jumped = graph_.apply("Jump", "Y[i]=X[clamp(int64(X[i]*8.0),0,7)]", {{"X", a}});
  graph_.add_output("y", graph_.apply("Add", "Z[i]=sum(k,Y[i]*10+X[k])", {{"Y", jumped}, {"X", b}}));
  checked_passes(graph_);
}

TEST_F(GraphPasses, ALongChainTakesNoTime) {
  ValueId x = graph_.add_input("x", {kFloat32, {4, 8}});
  for (int i = 0; i < 600; ++i) {
    const bool doubles = i % 3 == 0;  // reads its operand twice
    x = doubles ? graph_.apply("Add", "Y[i,j]=X[i,j]*0.5+Z[i,j]*0.5", {{"X", x}, {"Z", x}})
                : graph_.apply("Sigmoid", "Y[i,j]=sigmoid(X[i,j])", {{"X", x}});
  }
  graph_.add_output("y", x);
  EXPECT_LT(kernels_of(optimized(graph_)).size(), 100U);
}

TEST_F(GraphPasses, NumbersOfOtherTypesKeepTheirTypes) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4}});
  const ValueId a = graph_.add_constant({kUInt8, {1}}, std::vector<std::uint8_t>{10});
  const ValueId b = graph_.add_constant({kUInt8, {1}}, std::vector<std::uint8_t>{20});
  graph_.add_output("y", graph_.apply("Mul", "Y[i]=X[i]*float32(A[0]-B[0])", {{"X", x}, {"A", a}, {"B", b}}));
  checked_passes(graph_);  // 246, not -10
}

TEST_F(GraphPasses, WeightsThatAreReadInPartAreScaledToo) {
  const ValueId x = graph_.add_input("x", {kFloat32, {3, 4}});
  const ValueId y = graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j]) j=2", {{"X", x}, {"W", weights({4, 4})}});
  graph_.add_output("y", graph_.apply("Mul", "Y[i,j]=X[i,j]*S[j]", {{"X", y}, {"S", weights({2})}}));
  checked_passes(graph_);
}

TEST_F(GraphPasses, EqualNodesHaveOneExpression) {
  const ValueId x = graph_.add_input("x", {kFloat32, {4, 8}});
  const ValueId a = graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", x}, {"W", weights({8, 8})}});
  const ValueId b =
      graph_.apply("Gemm", "C[p,q]=sum(r,In[p,r]*Weights[r,q])", {{"In", a}, {"Weights", weights({8, 8})}});
  graph_.add_output("y", b);
  const Graph result = checked_passes(graph_);
  ASSERT_EQ(result.nodes().size(), 2U);
  EXPECT_EQ(result.expression_of(result.nodes()[0]), result.expression_of(result.nodes()[1]));
}

}  // namespace
}  // namespace nestwright
