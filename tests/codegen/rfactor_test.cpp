// rfactor through LLVM, in vectors and threads, compared with the interpreter.
#include <gtest/gtest.h>

#include "nestwright/lower.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

TEST(CompiledRfactor, PartialResultsInVectorsAndThreads) {
  const Tensor A = placeholder({9, 70}, kFloat32, "A");
  const IterVar k = reduce_axis(70, "k");
  const Tensor B = compute({9}, [&](Expr i) { return sum(A(i, k), k); }, "B");
  for (const CpuIsa isa : runnable_isas()) {
    Schedule s = create_schedule(B);
    const auto [ko, ki] = s[B].split(k, factor(16));
    const Tensor P = s.rfactor(B, ki, 1);
    s[P].reorder({s[P].axis(0), s[P].reduce_axis(0), s[P].axis(1)}).vectorize(s[P].axis(1)).parallel(s[P].axis(0));
    EXPECT_TRUE(agrees_with_interpreter(lower(s, {A, B}, target_of(isa), "f"), target_of(isa), Pipeline::kSearch,
                                        make_pool(PoolKind::kSpin, 2)));
  }
}

}  // namespace
}  // namespace nestwright::testing
