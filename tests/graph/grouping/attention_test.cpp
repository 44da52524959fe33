// Attention as one kernel, or as two.
#include <gmock/gmock.h>

#include "tests/graph/grouping/grouping_example.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Attention : public GroupingExample {
 protected:
  ValueId attention(ValueId q, ValueId k, ValueId v) { return product(softmax(scores(q, k)), v); }
};

TEST_F(Attention, IsOneKernel) {
  const ValueId q = input("q", {7, 3, 4}), k = input("k", {7, 3, 4}), v = input("v", {7, 3, 4});
  graph_.add_output("y", attention(q, k, v));
  const std::vector<GroupingSite> sites = sites_of("attention");
  ASSERT_THAT(sites, SizeIs(1));
  EXPECT_THAT(sites[0].nodes, ElementsAre(0, 1, 2));
  EXPECT_THAT(kernels_of(changed(sites)), ElementsAre("Scores+Softmax+MatMul"));
  const std::vector<GroupingTasks> tasks = grouping_tasks(joined_, sites);
  EXPECT_THAT(tasks[0].before, SizeIs(3));
  EXPECT_THAT(
      tasks[0].after,
      ElementsAre(
          "T[i0,i1,i2]=sum(i3,A[i1,i0,i3]*B[i2,i0,i3]);T1[i0,i1,i2]=T[i0,i1,i2]/2.0;T2[i0,i1]=max(i2,T1[i0,i1,i2]);"
          "T3[i0,i1,i2]=exp(T1[i0,i1,i2]-T2[i0,i1]);T4[i0,i1]=sum(i2,T3[i0,i1,i2]);"
          "T5[i0,i1,i2]=T3[i0,i1,i2]/T4[i0,i1];Y[i1,i0,i4]=sum(i2,T5[i0,i1,i2]*C[i2,i0,i4]) "
          "i0=3 i1=7 i2=7 i3=4 i4=4"));
}

TEST_F(Attention, MayBeTwoKernels) {
  const ValueId q = input("q", {7, 3, 4}), k = input("k", {7, 3, 4}), v = input("v", {7, 3, 4});
  graph_.add_output("y", attention(q, k, v));
  EXPECT_THAT(kernels_of(changed(sites_of("reduced-product"))), ElementsAre("Scores+Softmax", "MatMul"));
  EXPECT_THAT(kernels_of(changed(sites_of("product-of-rows"))), ElementsAre("Scores", "Softmax+MatMul"));
}

TEST_F(Attention, TheFirstOfOverlappingSitesIsChanged) {
  const ValueId q = input("q", {7, 3, 4}), k = input("k", {7, 3, 4}), v = input("v", {7, 3, 4});
  graph_.add_output("y", attention(q, k, v));
  joined_ = joined(graph_);
  const std::vector<GroupingSite> sites = grouping_sites(joined_);
  ASSERT_THAT(sites, SizeIs(3));
  EXPECT_THAT(kernels_of(changed(sites)), ElementsAre("Scores+Softmax+MatMul"));
  EXPECT_THAT(kernels_of(with_groupings(joined_, sites, {false, true, true})), ElementsAre("Scores+Softmax", "MatMul"));
  EXPECT_THAT(kernels_of(with_groupings(joined_, sites, {false, false, false})),
              ElementsAre("Scores", "Softmax", "MatMul"));
}

TEST_F(Attention, EqualLayersHaveEqualTasks) {
  const ValueId q = input("q", {7, 3, 4}), k = input("k", {7, 3, 4}), v = input("v", {7, 3, 4});
  graph_.add_output("y", attention(attention(q, k, v), k, v));
  const std::vector<GroupingSite> sites = sites_of("attention");
  ASSERT_THAT(sites, SizeIs(2));
  const std::vector<GroupingTasks> tasks = grouping_tasks(joined_, sites);
  EXPECT_EQ(tasks[0], tasks[1]);
  changed(sites);
}

TEST_F(Attention, ScoresThatAreReadElsewhereAreKept) {
  const ValueId q = input("q", {7, 3, 4}), k = input("k", {7, 3, 4}), v = input("v", {7, 3, 4});
  const ValueId s = scores(q, k);
  graph_.add_output("y", product(softmax(s), v));
  graph_.add_output("more", product(s, v));
  EXPECT_THAT(sites_of("attention"), IsEmpty());
  EXPECT_THAT(sites_of("reduced-product"), IsEmpty());
  EXPECT_THAT(sites_of("product-of-rows"), SizeIs(1));
}

TEST_F(Attention, OutputsInBetweenAreKept) {
  const ValueId q = input("q", {7, 3, 4}), k = input("k", {7, 3, 4}), v = input("v", {7, 3, 4});
  const ValueId p = softmax(scores(q, k));
  graph_.add_output("y", product(p, v));
  graph_.add_output("weights", p);
  EXPECT_THAT(sites_of("attention"), IsEmpty());
  EXPECT_THAT(sites_of("product-of-rows"), IsEmpty());
  EXPECT_THAT(sites_of("reduced-product"), SizeIs(1));
}

TEST_F(Attention, ASoftmaxOverAnotherDimensionIsNoneOfRows) {
  const ValueId q = input("q", {7, 3, 4}), k = input("k", {7, 3, 4}), v = input("v", {7, 3, 4});
  const ValueId p = graph_.apply(
      "Softmax", "M[h,j]=max(i,X[h,i,j]);E[h,i,j]=exp(X[h,i,j]-M[h,j]);S[h,j]=sum(i,E[h,i,j]);Y[h,i,j]=E[h,i,j]/S[h,j]",
      {{"X", scores(q, k)}});
  graph_.add_output("y", product(p, v));
  joined_ = joined(graph_);
  EXPECT_THAT(grouping_sites(joined_), IsEmpty());
}

TEST_F(Attention, ANormAfterAProductIsAReducedProduct) {
  const ValueId x = input("x", {6, 8}), w = weights({8, 5});
  const ValueId y = graph_.apply("MatMul", "Y[i,j]=sum(k,X[i,k]*W[k,j])", {{"X", x}, {"W", w}});
  graph_.add_output("y", graph_.apply("Norm",
                                      "M[i]=sum(j,X[i,j])/5;V[i]=sum(j,(X[i,j]-M[i])*(X[i,j]-M[i]))/5;"
                                      "Y[i,j]=(X[i,j]-M[i])/sqrt(V[i]+1e-5)",
                                      {{"X", y}}));
  EXPECT_THAT(kernels_of(changed(sites_of("reduced-product"))), ElementsAre("MatMul+Norm"));
}

}  // namespace
}  // namespace nestwright
