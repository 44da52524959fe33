// Padding by select: elements outside are neither read nor written, in scalars and vectors, stored and inlined.
#include <gtest/gtest.h>

#include "run_program.h"

namespace nestwright::testing {
namespace {

/// A 3x3 convolution of a padded 7x21 image.
struct Convolution {
  const Tensor image = placeholder({7, 21}, kFloat32, "X");
  const Tensor filter = placeholder({3, 3}, kFloat32, "W");
  const IterVar dy = reduce_axis(3, "dy"), dx = reduce_axis(3, "dx");
  const Tensor padded = compute(
      {9, 23},
      [&](Expr y, Expr x) { return select(y >= 1 && y < 8 && x >= 1 && x < 22, image(y - 1, x - 1), Expr(0.0)); }, "P");
  const Tensor result =
      compute({7, 21}, [&](Expr y, Expr x) { return sum(padded(y + dy, x + dx) * filter(dy, dx), {dy, dx}); }, "C");

  Schedule schedule() const { return create_schedule(result); }
  bool agrees(const Schedule& s, CpuIsa isa) const {
    return agrees_with_interpreter(lower(s, {image, filter, result}, target_of(isa), "conv"), target_of(isa));
  }
};

TEST(Padding, StoredScalarAndInVectors) {
  for (const CpuIsa isa : runnable_isas()) {
    const Convolution c;
    EXPECT_TRUE(c.agrees(c.schedule(), isa));
    Schedule s = c.schedule();
    s[c.padded].vectorize(s[c.padded].axis(1));
    EXPECT_TRUE(c.agrees(s, isa));
    Schedule rows = c.schedule();
    rows[c.padded].vectorize(rows[c.padded].axis(0));  // lanes a row apart
    EXPECT_TRUE(c.agrees(rows, isa));
  }
}

TEST(Padding, ComputedWhereItIsNeeded) {
  for (const CpuIsa isa : runnable_isas()) {
    const Convolution c;
    Schedule s = c.schedule();
    s[c.padded].compute_at(s[c.result], s[c.result].axis(0));
    s[c.padded].vectorize(s[c.padded].axis(1));
    s[c.result].parallel(s[c.result].axis(0));
    EXPECT_TRUE(c.agrees(s, isa));
  }
}

TEST(Padding, Inlined) {
  for (const CpuIsa isa : runnable_isas()) {
    const Convolution c;
    Schedule s = c.schedule();
    s[c.padded].compute_inline();
    EXPECT_TRUE(c.agrees(s, isa));
    const auto [xo, xi] = s[c.result].split(s[c.result].axis(1), factor(8));
    s[c.result].reorder({xo, c.dy, c.dx, xi});
    s[c.result].vectorize(xi);
    EXPECT_TRUE(c.agrees(s, isa));
  }
}

TEST(Padding, OneElementForAllLanesUnderTheirOwnConditions) {
  // The element that is read does not depend on the lane, only the condition does.
  const Tensor a = placeholder({4}, kFloat32, "A");
  const Tensor b = compute({6, 16}, [&](Expr i, Expr j) { return select(i + j < 4, a(i + j * 0), Expr(2.0)); }, "B");
  for (const CpuIsa isa : runnable_isas()) {
    Schedule s = create_schedule(b);
    s[b].vectorize(s[b].axis(1));
    EXPECT_TRUE(agrees_with_interpreter(lower(s, {a, b}, target_of(isa), "f"), target_of(isa)));
  }
}

TEST(Padding, ASecondOperandOfAnAndIsReadOnlyWhereTheFirstHolds) {
  const Tensor a = placeholder({20}, kFloat32, "A");
  const Tensor b =
      compute({24}, [&](Expr i) { return select(i < 20 && a(i) > Expr(0.0), Expr(1.0), Expr(-1.0)); }, "B");
  for (const CpuIsa isa : runnable_isas()) {
    Schedule s = create_schedule(b);
    EXPECT_TRUE(agrees_with_interpreter(lower(s, {a, b}, target_of(isa), "f"), target_of(isa)));
    s[b].vectorize(s[b].axis(0));
    EXPECT_TRUE(agrees_with_interpreter(lower(s, {a, b}, target_of(isa), "f"), target_of(isa)));
  }
}

}  // namespace
}  // namespace nestwright::testing
