// Lanes a few elements apart: contiguous loads and shuffles, which read nothing past the last lane.
#include <gtest/gtest.h>

#include "nestwright/program.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

/// B[i] = A[stride * i + 1] for an A that ends with the last element that is read.
ir::Program every(std::int64_t stride, std::int64_t count, ir::Type type, std::int64_t lanes, const Tail& tail,
                  const Target& target) {
  const Tensor a = placeholder({stride * (count - 1) + 2}, type, "A");
  const Tensor b = compute({count}, [&](Expr i) { return a(i * Expr(stride) + 1); }, "B");
  Schedule s = create_schedule(b);
  const auto [outer, lane] = s[b].split(s[b].axis(0), factor(lanes), tail);
  s[b].vectorize(lane);
  return lower(s, {a, b}, target, "every");
}

TEST(StridedLoads, AreRightForAllStridesTypesAndTails) {
  for (const CpuIsa isa : runnable_isas()) {
    const Target target = target_of(isa);
    for (const ir::Type type : {kFloat32, kFloat64, kInt8}) {
      for (const std::int64_t stride : {2, 3, 4, 5}) {
        for (const std::int64_t count : {16, 23, 1}) {
          const ir::Program program = every(stride, count, type, 8, Tail::predicate(), target);
          EXPECT_TRUE(agrees_with_interpreter(program, target))
              << target.str() << ' ' << type.str() << " stride " << stride << " count " << count;
        }
      }
    }
  }
}

TEST(StridedLoads, UnderAConditionThatIsNoTail) {
  for (const CpuIsa isa : runnable_isas()) {
    const Tensor a = placeholder({40}, kFloat32, "A");
    const Tensor b = compute({21}, [&](Expr i) { return select(i >= 1, a(i * 2 - 2), Expr(3.0)); }, "B");
    Schedule s = create_schedule(b);
    s[b].vectorize(s[b].axis(0));
    EXPECT_TRUE(agrees_with_interpreter(lower(s, {a, b}, target_of(isa), "f"), target_of(isa)));
  }
}

TEST(StridedLoads, TakeNoGather) {
  if (!can_run(CpuIsa::kAvx512)) GTEST_SKIP() << "no AVX-512";
  const Target target = target_of(CpuIsa::kAvx512);
  CompileOptions options;
  options.keep_assembly = true;
  for (const std::int64_t stride : {2, 4, 5}) {
    const std::string text =
        compile(every(stride, 40, kFloat32, 16, Tail::predicate(), target), target, options).assembly;
    EXPECT_EQ(text.find("vgather") == std::string::npos, stride <= 4) << text;
  }
}

}  // namespace
}  // namespace nestwright::testing
