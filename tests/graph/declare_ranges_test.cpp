// The pass declare-ranges: which nodes get ranges, and which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/passes/passes.h"
#include "nestwright/model/graph.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The expressions of the kernels after the pass, in order.
std::vector<std::string> expressions(Graph graph, ValueId output) {
  graph.add_output("y", output);
  const Graph ranged = declare_ranges(graph);
  std::vector<std::string> texts;
  for (const GraphNode& node : ranged.nodes()) texts.push_back(ranged.expression_of(node));
  return texts;
}

TEST(DeclareRanges, OfASquareRoot) {
  Graph graph;
  const ValueId x = graph.add_input("x", {kFloat32, {100}});
  const ValueId squares = graph.apply("Mul", "S[i]=3.0*X[i]*X[i]", {{"X", x}});
  const ValueId y = graph.apply("Sqrt", "Y[i]=sqrt(S[i])", {{"S", squares}});
  const std::vector<std::string> texts = expressions(graph, y);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_THAT(texts[0], Not(HasSubstr("in["))) << "any numbers will do";
  EXPECT_THAT(texts[1], HasSubstr(",4.0]")) << "squares are below 3";
}

TEST(DeclareRanges, AboveZeroAndBelow) {
  Graph graph;
  const ValueId x = graph.add_input("x", {kFloat32, {100}});
  const ValueId a = graph.apply("Add", "A[i]=5.0+X[i]", {{"X", x}}),
                b = graph.apply("Sub", "B[i]=X[i]-9.0", {{"X", x}});
  const ValueId y = graph.apply("Log", "Y[i]=log(A[i])+log(-B[i])", {{"A", a}, {"B", b}});
  const std::vector<std::string> texts = expressions(graph, y);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_THAT(texts[2], HasSubstr("in[4.0,8.0]"));
  EXPECT_THAT(texts[2], HasSubstr("in[-16.0,-8.0]"));
}

TEST(DeclareRanges, NotWhereRandomNumbersHaveResults) {
  Graph graph;
  const ValueId x = graph.add_input("x", {kFloat32, {4, 100}});
  const ValueId sums = graph.apply("Exp", "E[i,j]=exp(X[i,j])", {{"X", x}});
  const ValueId y = graph.apply("Norm", "S[i]=sum(j,E[i,j]*E[i,j]);Y[i,j]=E[i,j]/sqrt(S[i])", {{"E", sums}});
  const std::vector<std::string> texts = expressions(graph, y);
  for (const std::string& text : texts) EXPECT_THAT(text, Not(HasSubstr("in["))) << text;
}

TEST(DeclareRanges, NotWhereTheyDoNotHelp) {
  Graph graph;
  const ValueId x = graph.add_input("x", {kFloat32, {100}});
  const ValueId a = graph.apply("Add", "A[i]=X[i]+0.5", {{"X", x}});
  const ValueId y = graph.apply("Sqrt", "Y[i]=sqrt(A[i]-X[i])", {{"A", a}, {"X", x}});
  const std::vector<std::string> texts = expressions(graph, y);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_THAT(texts[1], Not(HasSubstr("in["))) << "the difference of two numbers in their ranges may be negative";
}

}  // namespace
}  // namespace nestwright
