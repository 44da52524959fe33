// storage_align and the pragma auto_unroll through LLVM, compared with the interpreter.
#include <gtest/gtest.h>

#include "nestwright/lower.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

TEST(CompiledStorageAlign, PaddedRowsOnTheStackAndInTheWorkspace) {
  const Tensor A = placeholder({12, 10}, kFloat32, "A"), B = placeholder({10, 19}, kFloat32, "B");
  const IterVar k = reduce_axis(10, "k");
  const Tensor C = compute({12, 19}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
  for (const CpuIsa isa : runnable_isas()) {
    for (const ir::Scope scope : {ir::Scope::kLocal, ir::Scope::kGlobal}) {
      Schedule s = create_schedule(C);
      const auto [io, ii] = s[C].split(s[C].axis(0), factor(4));
      s[C].reorder({io, ii, k, s[C].axis(1)}).vectorize(s[C].axis(1)).pragma(io, "auto_unroll", 16);
      const Tensor cache = s.cache_read(B, scope, {C});
      s[cache].compute_at(s[C], io).storage_align(s[cache].axis(0), 16, 5);
      EXPECT_TRUE(agrees_with_interpreter(lower(s, {A, B, C}, target_of(isa), "f"), target_of(isa)));
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
