// Products and convolutions of one input as one.
#include <gmock/gmock.h>

#include "graph/program/placement.h"
#include "tests/graph/grouping/grouping_example.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Siblings : public GroupingExample {
 protected:
  ValueId conv(ValueId x, std::int64_t filters, const std::string& activation = "max(T[o,y,x]+B[o],0)") {
    return graph_.apply("Conv", "T[o,y,x]=sum(c,X[c,y,x]*W[o,c]);Y[o,y,x]=" + activation,
                        {{"X", x}, {"W", weights({filters, 6})}, {"B", weights({filters})}});
  }
  ValueId pool(ValueId x) { return graph_.apply("Pool", "Y[c,y]=max(x,X[c,y,x])", {{"X", x}}); }
  ValueId linear(ValueId x, std::int64_t columns) {
    return graph_.apply("MatMul", "T[i,j]=sum(k,X[i,k]*W[k,j]);Y[i,j]=T[i,j]+B[j]",
                        {{"X", x}, {"W", weights({graph_.type(x).shape[1], columns})}, {"B", weights({columns})}});
  }
};

TEST_F(Siblings, ConvolutionsOfDifferentFiltersAreOne) {
  const ValueId x = input("x", {6, 4, 5});
  graph_.add_output("a", pool(conv(x, 3)));
  graph_.add_output("b", pool(conv(x, 7)));
  const std::vector<GroupingSite> sites = sites_of("siblings");
  ASSERT_THAT(sites, SizeIs(1));
  const std::vector<GroupingTasks> tasks = grouping_tasks(joined_, sites);
  EXPECT_THAT(tasks[0].before, SizeIs(2));
  EXPECT_THAT(tasks[0].after,
              ElementsAre("T[i0,i1,i2]=sum(i3,A[i3,i1,i2]*B[i0,i3]);Y[i0,i1,i2]=max(T[i0,i1,i2]+C[i0],0);"
                          "B:constant;C:constant i0=10 i1=4 i2=5 i3=6"));
  const Graph result = changed(sites);
  std::size_t parts = 0;
  for (const GraphNode& node : result.nodes()) parts += part_offset(node) ? 1 : 0;
  EXPECT_EQ(parts, 2U);
}

TEST_F(Siblings, ProductsOfEqualSizesAreStacked) {
  const ValueId x = input("x", {5, 8});
  const ValueId q = linear(x, 6), k = linear(x, 6), v = linear(x, 6);
  const ValueId a = graph_.apply("Scores", "Y[i,j]=sum(d,Q[i,d]*K[j,d])", {{"Q", q}, {"K", k}});
  graph_.add_output("y", graph_.apply("MatMul", "Y[i,d]=sum(j,P[i,j]*V[j,d])", {{"P", a}, {"V", v}}));
  const std::vector<GroupingSite> sites = sites_of("siblings");
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_THAT(sites[0].nodes, SizeIs(3));
  EXPECT_THAT(grouping_tasks(joined_, sites)[0].after,
              ElementsAre("T[i0,i1,i2]=sum(i3,A[i1,i3]*B[i0,i3,i2]);Y[i0,i1,i2]=T[i0,i1,i2]+C[i0,i2];"
                          "B:constant;C:constant i0=3 i1=5 i2=6 i3=8"));
  changed(sites);
}

TEST_F(Siblings, ProductsOfDifferentSizesAreNot) {
  const ValueId x = input("x", {5, 8});
  graph_.add_output("a", graph_.apply("Max", "Y[i]=max(j,X[i,j])", {{"X", linear(x, 6)}}));
  graph_.add_output("b", graph_.apply("Max", "Y[i]=max(j,X[i,j])", {{"X", linear(x, 7)}}));
  EXPECT_THAT(sites_of("siblings"), IsEmpty());
}

TEST_F(Siblings, OtherInputsOrActivationsAreNot) {
  const ValueId x = input("x", {6, 4, 5}), z = input("z", {6, 4, 5});
  graph_.add_output("a", pool(conv(x, 3)));
  graph_.add_output("b", pool(conv(z, 3)));
  graph_.add_output("c", pool(conv(x, 3, "tanh(T[o,y,x]+B[o])")));
  EXPECT_THAT(sites_of("siblings"), IsEmpty());
}

TEST_F(Siblings, OutputsAndPartsOfConcatenationsStayWhereTheyAre) {
  const ValueId x = input("x", {6, 4, 5});
  graph_.add_output("a", conv(x, 3));
  const ValueId b = conv(x, 4), c = conv(x, 2);
  graph_.add_output(
      "y", graph_.apply("Concat", "Y[o,y,x]=select(o<4,A[o,y,x],B[o-4,y,x]) o=6 y=4 x=5", {{"A", b}, {"B", c}}));
  EXPECT_THAT(sites_of("siblings"), IsEmpty());
}

}  // namespace
}  // namespace nestwright
