// A tensor that the reader of a sum adds.
#include <gmock/gmock.h>

#include "tests/graph/grouping/grouping_example.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Residual : public GroupingExample {
 protected:
  ValueId linear(ValueId x, ValueId r, const std::string& result = "T[i,j]+B[j]+R[i,j]") {
    return graph_.apply("MatMul", "T[i,j]=sum(k,X[i,k]*W[k,j]);Y[i,j]=" + result,
                        {{"X", x}, {"W", weights({8, 6})}, {"B", weights({6})}, {"R", r}});
  }
  ValueId norm(ValueId x) {
    return graph_.apply("Norm",
                        "M[i]=sum(j,X[i,j])/6;V[i]=sum(j,(X[i,j]-M[i])*(X[i,j]-M[i]))/6;"
                        "Y[i,j]=(X[i,j]-M[i])/sqrt(V[i]+1e-5)",
                        {{"X", x}});
  }
};

TEST_F(Residual, IsAddedByTheNormThatReadsTheSum) {
  const ValueId x = input("x", {5, 8}), r = input("r", {5, 6});
  graph_.add_output("y", norm(linear(x, r)));
  const std::vector<GroupingSite> sites = sites_of("residual");
  ASSERT_THAT(sites, SizeIs(1));
  const std::vector<GroupingTasks> tasks = grouping_tasks(joined_, sites);
  ASSERT_THAT(tasks[0].after, SizeIs(2));
  EXPECT_EQ(tasks[0].after[0],
            "T[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]);Y[i0,i1]=T[i0,i1]+C[i1];B:constant;C:constant i0=5 i1=6 i2=8");
  EXPECT_THAT(kernels_of(changed(sites)), ElementsAre("MatMul", "Add+Norm"));
}

TEST_F(Residual, IsLeftWhereItIsIfSeveralReadTheSum) {
  const ValueId x = input("x", {5, 8}), r = input("r", {5, 6});
  const ValueId sum = linear(x, r);
  graph_.add_output("y", norm(sum));
  graph_.add_output("m", graph_.apply("Max", "Y[i]=max(j,X[i,j])", {{"X", sum}}));
  EXPECT_THAT(sites_of("residual"), IsEmpty());
}

TEST_F(Residual, IsLeftWhereItIsIfTheSumIsAnOutputOrNotLinear) {
  const ValueId x = input("x", {5, 8}), r = input("r", {5, 6});
  const ValueId sum = linear(x, r);
  graph_.add_output("sum", sum);
  graph_.add_output("y", norm(sum));
  graph_.add_output("z", norm(linear(x, r, "max(T[i,j]+B[j]+R[i,j],0)")));
  EXPECT_THAT(sites_of("residual"), IsEmpty());
}

TEST_F(Residual, IsLeftWhereTheReaderCostsNothing) {
  const ValueId x = input("x", {5, 8}), r = input("r", {5, 6});
  graph_.add_output("y", graph_.apply("Slice", "Y[i,j]=X[i+2,j] i=3", {{"X", linear(x, r)}}));
  EXPECT_THAT(sites_of("residual"), IsEmpty());
}

TEST_F(Residual, AProductDoesNotAddItForEachUse) {
  const ValueId x = input("x", {5, 8}), r = input("r", {5, 6});
  graph_.add_output(
      "y", graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", linear(x, r)}, {"W", weights({6, 9})}}));
  EXPECT_THAT(sites_of("residual"), IsEmpty());
}

}  // namespace
}  // namespace nestwright
