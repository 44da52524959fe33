// rfactor, storage_align, pragma and double_buffer, through LLVM, held against the interpreter.
#include <gtest/gtest.h>

#include "lower/lower.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

TEST(CompiledRewrites, PartialResultsInVectorsAndThreads) {
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

TEST(CompiledRewrites, PaddedRowsOnTheStackAndInTheWorkspace) {
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

TEST(CompiledRewrites, HalvesOnTheStackAndInTheWorkspace) {
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
