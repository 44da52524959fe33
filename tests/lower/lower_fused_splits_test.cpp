// Fused loops of several axes, split by factors that need not divide them, are proved to be free of races.
#include <gtest/gtest.h>

#include <vector>

#include "nestwright/lower.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

const LowerOptions kVerified{.after_pass = {}, .verify = true};

/// Lowers and expands Y = 2 X over `extents`: all axes are fused, split by `size`, and what is inside by 16.
void lower_split(const std::vector<Expr>& extents, const SplitSize& size, const Tail& tail) {
  const Tensor x = placeholder(extents, kFloat32, "X");
  const Tensor y =
      compute(extents, [&](std::span<const Expr> i) { return x.at({i.begin(), i.end()}) * Expr(2.0F); }, "Y");
  Schedule s = create_schedule(y);
  IterVar fused = s[y].axis(0);
  for (int axis = 1; axis < y.rank(); ++axis) fused = s[y].fuse(fused, s[y].axis(axis));
  const auto [outer, inner] = s[y].split(fused, size, tail);
  const auto [vector, lane] = s[y].split(inner, factor(16), tail);
  s[y].parallel(outer).vectorize(lane);
  const Target target = Target::parse("cpu,isa=avx2,threads=2");
  expand(lower(s, {x, y}, target, "fused", kVerified), target, kVerified);
}

TEST(FusedSplits, OfSeveralAxesAreProved) {
  using Extents = std::vector<Expr>;
  for (const Extents& extents :
       {Extents{64, 56, 56}, Extents{1, 64, 56, 56}, Extents{14, 14, 1024}, Extents{7, 5, 3}}) {
    for (const SplitSize& size : {nparts(6), nparts(3), factor(1001), factor(100), factor(1), factor(56)}) {
      for (const Tail& tail : {Tail(), Tail::partition(), Tail::predicate()}) {
        EXPECT_NO_THROW(lower_split(extents, size, tail))
            << ir::to_string(extents[0]) << " size " << (size.nparts ? -size.nparts : size.factors[0]) << " tail "
            << static_cast<int>(tail.kind);
      }
    }
  }
}

}  // namespace
}  // namespace nestwright
