// double_buffer through LLVM, compared with the interpreter.
#include <gtest/gtest.h>

#include "nestwright/lower.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

TEST(CompiledDoubleBuffer, HalvesOnTheStackAndInTheWorkspace) {
  const Tensor A = placeholder({12, 45}, kFloat32, "A"), B = placeholder({45, 19}, kFloat32, "B");
  const IterVar k = reduce_axis(45, "k");
  const Tensor C = compute({12, 19}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
  for (const CpuIsa isa : runnable_isas()) {
    for (const ir::Scope scope : {ir::Scope::kLocal, ir::Scope::kGlobal}) {
      Schedule s = create_schedule(C);
      const auto [ko, ki] = s[C].split(k, factor(8), Tail::partition());
      const auto [io, ii] = s[C].split(s[C].axis(0), factor(5));
      s[C].reorder({io, ko, ii, ki, s[C].axis(1)}).vectorize(s[C].axis(1)).parallel(io);
      const Tensor a = s.cache_read(A, scope, {C}), b = s.cache_read(B, scope, {C});
      s[a].compute_at(s[C], ko).double_buffer();
      s[b].compute_at(s[C], ko).double_buffer().vectorize(s[b].axis(1)).storage_align(s[b].axis(0), 16, 5);
      EXPECT_TRUE(agrees_with_interpreter(lower(s, {A, B, C}, target_of(isa), "f"), target_of(isa), Pipeline::kSearch,
                                          make_pool(PoolKind::kSpin, 2)));
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
