// Reads that are certainly out of bounds, and legal ones that resemble them.
#include "expression/check_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

std::string refusal(const Tensor& t) {
  const ComputeOp& op = *t.op().compute();
  return message<UsageError>([&] { check_reads(t.name(), op.axes, op.reduce_axes, op.bodies.front()); });
}
constexpr const char* kFine = "accepted";

class CheckReads : public ::testing::Test {
 protected:
  const Tensor a = placeholder({5, 7}, kFloat32, "A");
  const Var n = var("n"), m = var("m");
  const Tensor x = placeholder({n}, kFloat32, "X");
  const Tensor z = placeholder({n, m}, kFloat32, "Z");
};

TEST_F(CheckReads, RefusesTwoAxesThatAreSwapped) {
  const Tensor c = compute({5, 7}, [&](Expr i, Expr j) { return a(j, i); }, "C");
  EXPECT_EQ(refusal(c),
            "tensor 'C' reads 'A' out of bounds: index 0 is j, which runs over 0..6, but dimension 0 has extent 5: "
            "correct the index, or select what lies inside");
  const Tensor d = compute({7, 5}, [&](Expr i, Expr j) { return a(j, i); }, "D");
  EXPECT_EQ(refusal(d), kFine);
}

TEST_F(CheckReads, RefusesWhatReachesPastEitherEnd) {
  const Tensor below = compute({5}, [&](Expr i) { return a(i - 1, 0); }, "C");
  EXPECT_EQ(
      refusal(below),
      "tensor 'C' reads 'A' out of bounds: index 0 is i - 1, which runs over -1..3, but dimension 0 has extent 5: "
      "correct the index, or select what lies inside");
  const IterVar r = reduce_axis(3, "r");
  const Tensor window = compute({6}, [&](Expr i) { return sum(a(0, i + r), r); }, "C");
  EXPECT_EQ(refusal(window),
            "tensor 'C' reads 'A' out of bounds: index 1 is i + r, which runs over 0..7, but dimension 1 has extent 7: "
            "correct the index, or select what lies inside");
  const Tensor fits = compute({5}, [&](Expr i) { return sum(a(0, i + r), r); }, "C");
  EXPECT_EQ(refusal(fits), kFine);
  const Tensor constant = compute({2}, [&](Expr) { return a(0, 7); }, "C");
  EXPECT_EQ(refusal(constant),
            "tensor 'C' reads 'A' out of bounds: index 1 is 7, which runs over 7..7, but dimension 1 has extent 7: "
            "correct the index, or select what lies inside");
}

TEST_F(CheckReads, TellsWhatSymbolsMustSatisfy) {
  const auto required = [](const Tensor& t) {
    const ComputeOp& op = *t.op().compute();
    std::vector<std::string> all;
    for (const ir::Requirement& r : check_reads(t.name(), op.axes, op.reduce_axes, op.values().front()))
      all.push_back(ir::to_string(r.slack) + " >= 0, or " + r.why);
    return all;
  };
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(required(compute(
                  {m}, [&](Expr i) { return x(i); }, "C")),
              ElementsAre("n - m >= 0, or tensor 'C' reads 'X' out of bounds: index 0 is i, which runs over 0..m - 1, "
                          "but dimension 0 has extent n"));
  EXPECT_THAT(required(compute({n}, [&](Expr i) { return x(i); }, "C")), IsEmpty());
  EXPECT_THAT(required(compute({Expr(n) - 2}, [&](Expr i) { return x(i + 2); }, "C")), IsEmpty());
  EXPECT_THAT(required(compute({Expr(n) / 2}, [&](Expr i) { return x(i * 2 + 1); }, "C")), IsEmpty());
  EXPECT_THAT(required(compute(
                  {5}, [&](Expr i) { return x(i) + a(i, 0); }, "C")),
              ElementsAre(::testing::StartsWith("n - 5 >= 0, or tensor 'C' reads 'X' out of bounds")));
  EXPECT_THAT(required(compute(
                  {7}, [&](Expr i) { return a(m, i); }, "C")),
              ElementsAre(::testing::StartsWith("4 - m >= 0, or tensor 'C' reads 'A' out of bounds: index 0 is m")));
  EXPECT_THAT(required(compute(
                  {8}, [&](Expr i) { return x(Expr(m) - i); }, "C")),
              ElementsAre(::testing::StartsWith("m - 7 >= 0"), ::testing::StartsWith("n - m - 1 >= 0")));
  const IterVar r = reduce_axis(m, "r");
  EXPECT_THAT(required(compute(
                  {}, [&] { return sum(x(r) * z(0, r), r); }, "C")),
              ElementsAre(::testing::StartsWith("n - m >= 0")));
  // Guarded indices and indices that are not affine.
  EXPECT_THAT(required(compute({m}, [&](Expr i) { return select(i < n, x(i), Expr(0.0)); }, "C")), IsEmpty());
  EXPECT_THAT(required(compute({m}, [&](Expr i) { return x(i % n); }, "C")), IsEmpty());
}

TEST_F(CheckReads, ASelectKeepsFromReading) {
  const Tensor padded = compute(
      {7, 9}, [&](Expr i, Expr j) { return select(i >= 1 && i < 6 && j >= 1 && j < 8, a(i - 1, j - 1), Expr(0.0)); },
      "P");
  EXPECT_EQ(refusal(padded), kFine);
  const Tensor other_side = compute({7}, [&](Expr i) { return select(i < 1 || i > 5, Expr(0.0), a(i - 1, 0)); }, "P");
  EXPECT_EQ(refusal(other_side), kFine);
  const Tensor wide = compute({7}, [&](Expr i) { return select(i >= 1, a(i - 1, 0), Expr(0.0)); }, "P");
  EXPECT_EQ(refusal(wide),
            "tensor 'P' reads 'A' out of bounds: index 0 is i - 1, which runs over 0..5, but dimension 0 has extent 5: "
            "correct the index, or select what lies inside");
}

TEST_F(CheckReads, SoDoesTheFirstOperandOfAnAnd) {
  const Tensor both =
      compute({7}, [&](Expr i) { return select(i < 5 && a(i, 0) > Expr(0.0), Expr(1.0), Expr(0.0)); }, "C");
  EXPECT_EQ(refusal(both), kFine);
  const Tensor either =
      compute({7}, [&](Expr i) { return select(i >= 5 || a(i, 0) > Expr(0.0), Expr(1.0), Expr(0.0)); }, "C");
  EXPECT_EQ(refusal(either), kFine);
}

TEST_F(CheckReads, ADecisionOnDataProvesNothing) {
  const Tensor c = compute({7}, [&](Expr i) { return select(a(0, i) > Expr(0.0), a(i, 0), Expr(0.0)); }, "C");
  EXPECT_EQ(refusal(c), kFine);
}

TEST_F(CheckReads, OfSymbolsOnlyWhatHoldsForAll) {
  const Tensor swapped = compute({n, m}, [&](Expr i, Expr j) { return z(j, i); }, "C");
  EXPECT_EQ(refusal(swapped), kFine) << "n may be m";
  const Tensor shifted = compute({n}, [&](Expr i) { return x(i + 1); }, "C");
  EXPECT_EQ(refusal(shifted),
            "tensor 'C' reads 'X' out of bounds: index 0 is i + 1, which runs over 1..n, but dimension 0 has extent n: "
            "correct the index, or select what lies inside");
  const Tensor safe = compute({n}, [&](Expr i) { return select(i + 1 < n, x(i + 1), Expr(0.0)); }, "C");
  EXPECT_EQ(refusal(safe), kFine);
  const Tensor mirrored = compute({n}, [&](Expr i) { return x(n - 1 - i); }, "C");
  EXPECT_EQ(refusal(mirrored), kFine);
  const Tensor off = compute({n}, [&](Expr i) { return x(n - i); }, "C");
  EXPECT_EQ(refusal(off),
            "tensor 'C' reads 'X' out of bounds: index 0 is n - i, which runs over 1..n, but dimension 0 has extent n: "
            "correct the index, or select what lies inside");
}

TEST_F(CheckReads, RefusesExtentsOfAReductionThatDisagree) {
  const Tensor b = placeholder({9, 4}, kFloat32, "B");
  const IterVar k = reduce_axis(7, "k");
  const Tensor c = compute({5, 4}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  EXPECT_EQ(
      refusal(c),
      "tensor 'C' reduces over 'k', which is all of dimension 1 of 'A', 7, but only a part of dimension 0 of 'B', "
      "9: give both one extent, or write reduce_axis(0, 7, \"k\") if the part is meant");
  const Tensor swapped = compute({5, 4}, [&](Expr i, Expr j) { return sum(b(k, j) * a(i, k), k); }, "C");
  EXPECT_EQ(refusal(swapped), refusal(c)) << "in either order";
  const IterVar l = reduce_axis(9, "l");
  const Tensor past = compute({5, 4}, [&](Expr i, Expr j) { return sum(a(i, l) * b(l, j), l); }, "C");
  EXPECT_EQ(refusal(past),
            "tensor 'C' reads 'A' out of bounds: index 1 is l, which runs over 0..8, but dimension 1 has extent 7: "
            "correct the index, or select what lies inside");
}

TEST_F(CheckReads, APartOfOneTensorIsNoDisagreement) {
  const IterVar k = reduce_axis(3, "k");
  EXPECT_EQ(refusal(compute({5}, [&](Expr i) { return sum(a(i, k), k); }, "C")), kFine);
  const Tensor w = placeholder({3}, kFloat32, "W");
  EXPECT_EQ(refusal(compute(
                {5}, [&](Expr i) { return sum(a(0, i + k) * w(k), k); }, "C")),
            kFine)
      << "the index of A is not the axis alone";
}

}  // namespace
}  // namespace nestwright
