// build(): from a schedule to a callable function.
#include "nestwright/build.h"

#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/program.h"
#include "target/description/host.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

struct Twice {
  Tensor A = placeholder({64, 8}, kFloat32, "A");
  Tensor B = compute({64, 8}, [this](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
};

TEST(Build, GivesAFunction) {
  const Twice op;
  Schedule s = create_schedule(op.B);
  s[op.B].parallel(s[op.B].axis(0)).vectorize(s[op.B].axis(1));
  Target target = Target::host();
  target.threads = 2;
  Array a = Array::empty(kFloat32, {64, 8}), b = Array::empty(kFloat32, {64, 8});
  for (std::size_t e = 0; e < 512; ++e) a.as<float>()[e] = static_cast<float>(e);
  for (const PoolKind kind : {PoolKind::kSpin, PoolKind::kTbb, PoolKind::kSerial}) {
    const Function twice = build(s, {op.A, op.B}, target, "twice", {.pool_kind = kind});
    EXPECT_EQ(twice.name(), "twice");
    EXPECT_EQ(to_string(twice.program()),
              "program twice(A: float32[64, 8]) -> (B: float32[64, 8])\n"
              "  launch twice\n"
              "  kernel twice:\n"
              "    parallel i in 0..64:\n"
              "      vectorized j in 0..8:\n"
              "        B[i, j] = A[i, j]*2.0\n");
    const Function copy = twice;  // a handle
    b.fill_bytes(0);
    copy(a, b);
    for (std::size_t e = 0; e < 512; ++e) ASSERT_EQ(b.as<float>()[e], 2 * static_cast<float>(e));
  }
}

TEST(Build, FunctionsMayShareAPool) {
  const Twice op;
  Schedule s = create_schedule(op.B);
  s[op.B].parallel(s[op.B].axis(0));
  const std::shared_ptr<ParallelPool> pool = make_pool(PoolKind::kSpin, 3);
  const Function one = build(s, {op.A, op.B}, Target::parse("cpu"), "one", {.pool = pool});
  const Function two = build(s, {op.A, op.B}, Target::parse("cpu"), "two", {.pool = pool});
  Array a = Array::empty(kFloat32, {64, 8}), b = Array::empty(kFloat32, {64, 8}), c = Array::empty(kFloat32, {64, 8});
  for (float& x : a.as<float>()) x = 3;
  one(a, b);
  two(b, c);
  for (const float x : c.as<float>()) EXPECT_EQ(x, 12);
}

TEST(Build, AScalarResultAndNoInputs) {
  const IterVar k = reduce_axis(100, "k");
  const Tensor S = compute({}, [&] { return sum(cast(kInt64, k), k); }, "S");
  const Function total = build(create_schedule(S), {S}, Target::parse("cpu"), "total");
  Array s = Array::empty(kInt64, {});
  total(s);
  EXPECT_EQ(s.as<std::int64_t>()[0], 4950);
}

TEST(Build, RefusesASymbolThatNoArgumentGives) {
  const Expr n = var("n");
  const Tensor A = placeholder({n * 2}, kFloat32, "A");
  const Tensor B = compute({n * 2}, [&](Expr i) { return A(i); }, "B");
  EXPECT_EQ(message<UsageError>([&] { build(create_schedule(B), {A, B}, Target::parse("cpu"), "copy"); }),
            "copy: no argument gives symbol n its value: make it the extent or a stride of a dimension");
  // A symbol in a body, and one in a reduction.
  const Tensor C = compute({4}, [&](Expr i) { return cast(kFloat32, i * Expr(var("factor"))); }, "C");
  EXPECT_EQ(message<UsageError>([&] { build(create_schedule(C), {C}, Target::parse("cpu"), "scale"); }),
            "scale: no argument gives symbol factor its value: make it the extent or a stride of a dimension");
  const IterVar k = reduce_axis(var("length"), "k");
  const Tensor D = compute({4}, [&](Expr i) { return sum(i + Expr(k), k); }, "D");
  EXPECT_EQ(message<UsageError>([&] { build(create_schedule(D), {D}, Target::parse("cpu"), "sums"); }),
            "sums: no argument gives symbol length its value: make it the extent or a stride of a dimension");
}

TEST(Build, SymbolsAreIndices) {
  const Tensor A = placeholder({8}, kFloat32, "A");
  const Tensor B = compute({8}, [&](Expr i) { return A(i) * Expr(var("alpha", kFloat32)); }, "B");
  EXPECT_EQ(message<LowerError>([&] { build(create_schedule(B), {A, B}, Target::parse("cpu"), "scale"); }),
            "scale: symbol alpha is float32, but a call gives symbols of type int64 only: hand other values over as a "
            "tensor");
}

TEST(Build, RefusesWhatThisMachineCannotRun) {
  const Twice op;
  Target cuda = Target::parse("cpu");
  cuda.device = DeviceKind::kCuda;
  Schedule bound = create_schedule(op.B);
  bound[op.B].bind(bound[op.B].axis(0), kBlockIdxX);
  EXPECT_EQ(message<CompileError>([&] { build(bound, {op.A, op.B}, cuda, "twice"); }),
            "\"\" is no architecture of CUDA: give the target one as in cuda,arch=sm_90");
  if (host_isa() == CpuIsa::kAvx512 && host_cpu_features().has(CpuFeature::kAmxInt8)) {
    GTEST_SKIP() << "this machine runs them all";
  }
  if (host_isa() == CpuIsa::kAvx512) {
    Target featured = Target::host();
    featured.features.add(CpuFeature::kAmxInt8);
    EXPECT_EQ(message<UsageError>([&] { build(create_schedule(op.B), {op.A, op.B}, featured, "twice"); }),
              "this machine cannot run kernels for " + featured.str() +
                  ", as it has no amx_int8: use the host's target, or nestwright export");
    return;
  }
  Target wider = Target::parse("cpu");
  wider.isa = CpuIsa::kAvx512;
  EXPECT_EQ(message<UsageError>([&] { build(create_schedule(op.B), {op.A, op.B}, wider, "twice"); }),
            "this machine cannot run kernels for " + wider.str() + ": use the host's target, or nestwright export");
}

}  // namespace
}  // namespace nestwright
