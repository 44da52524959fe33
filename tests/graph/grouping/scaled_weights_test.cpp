// Scales of channels that multiply the weights of the convolution that reads the channels.
#include <gmock/gmock.h>

#include "tests/graph/grouping/grouping_example.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ScaledWeights : public GroupingExample {
 protected:
  /// x, its channels multiplied by functions of all of their means.
  ValueId excited(ValueId x) {
    const ValueId means = graph_.apply("Mean", "M[c]=sum(y,x,X[c,y,x]);Y[c]=M[c]/20", {{"X", x}});
    const ValueId s =
        graph_.apply("Gemm", "T[c]=sum(d,W[c,d]*M[d]);Y[c]=sigmoid(T[c])", {{"W", weights({6, 6})}, {"M", means}});
    return graph_.apply("Mul", "Y[c,y,x]=X[c,y,x]*S[c]", {{"X", x}, {"S", s}});
  }
  ValueId conv(ValueId x) {
    return graph_.apply("Conv", "T[o,y,x]=sum(c,r,s,X[c,y+r-1,x+s-1]?0*W[o,c,r,s]);Y[o,y,x]=max(T[o,y,x],0) y=4 x=5",
                        {{"X", x}, {"W", weights({3, 6, 3, 3})}});
  }
};

TEST_F(ScaledWeights, AreThoseOfTheOnlyReader) {
  graph_.add_output("y", conv(excited(input("x", {6, 4, 5}))));
  const std::vector<GroupingSite> sites = sites_of("scaled-weights");
  ASSERT_THAT(sites, SizeIs(1));
  const std::vector<GroupingTasks> tasks = grouping_tasks(joined_, sites);
  EXPECT_THAT(tasks[0].before, SizeIs(2));
  EXPECT_THAT(tasks[0].after,
              ElementsAre("T[i0,i1,i2,i3]=A[i0,i1,i2,i3]*B[i1];T1[i0,i4,i5]=sum(i1,i2,i3,C[i1,i4+i2-1,i5+i3-1]?0*"
                          "T[i0,i1,i2,i3]);Y[i0,i4,i5]=max(T1[i0,i4,i5],0);A:constant;C:float32[n0,n1,n2] "
                          "i0=3 i1=6 i2=3 i3=3 i4=4 i5=5 n0=6 n1=4 n2=5"));
  EXPECT_THAT(kernels_of(changed(sites)), ElementsAre("Mean", "Gemm", "Conv"));
}

TEST_F(ScaledWeights, AreLeftWhereSeveralReadTheScaledTensor) {
  const ValueId z = excited(input("x", {6, 4, 5}));
  graph_.add_output("y", conv(z));
  graph_.add_output("more", conv(z));
  EXPECT_THAT(sites_of("scaled-weights"), IsEmpty());
}

TEST_F(ScaledWeights, AreLeftWhereThePaddingOrTheScalesPreventIt) {
  const ValueId x = input("x", {6, 4, 5});
  graph_.add_output("y", graph_.apply("Conv", "Y[o,y,x]=sum(c,r,X[c,y,x+r-1]?1*W[o,c,r]) y=4 x=5",
                                      {{"X", excited(x)}, {"W", weights({3, 6, 3})}}));
  const ValueId s = input("s", {5});
  const ValueId columns = graph_.apply("Mul", "Y[c,y,x]=X[c,y,x]*S[x]", {{"X", x}, {"S", s}});
  graph_.add_output("z", conv(columns));
  EXPECT_THAT(sites_of("scaled-weights"), IsEmpty());
}

}  // namespace
}  // namespace nestwright
