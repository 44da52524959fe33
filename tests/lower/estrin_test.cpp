// The pragma estrin in loop form, and its results against Horner's form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "run_program.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {
namespace {

/// Y[i, j] = exp(X[i, j]) with a tail, tanh in a tensor that is attached inside the loop, and log outside of it.
struct Functions {
  Tensor x = placeholder({3, 37}, kFloat32, "X");
  Tensor t = compute({3, 37}, [this](Expr i, Expr j) { return tanh(x(i, j)); }, "T");
  Tensor y = compute({3, 37}, [this](Expr i, Expr j) { return exp(t(i, j)); }, "Y");
  Tensor z = compute({3, 37}, [this](Expr i, Expr j) { return log(y(i, j)); }, "Z");
  Schedule schedule = create_schedule(z);

  ir::Program lowered(CpuIsa isa) const {
    return lower(schedule, {x, z}, cpu_target(isa), "f", {.after_pass = {}, .verify = true});
  }
};

TEST(Estrin, MarksTheFunctionsInsideItsLoop) {
  Functions f;
  f.schedule[f.t].compute_at(f.schedule[f.y], f.schedule[f.y].axis(0));
  f.schedule[f.y].pragma(f.schedule[f.y].axis(0), "estrin", 1);
  EXPECT_THAT(ir::to_string(f.lowered(CpuIsa::kAvx512)),
              ::testing::AllOf(::testing::HasSubstr("= estrin(tanh("), ::testing::HasSubstr("= estrin(exp("),
                               ::testing::HasSubstr("= log(")));
}

TEST(Estrin, MarksNothingTwice) {
  Functions f;
  for (const int axis : {0, 1}) f.schedule[f.y].pragma(f.schedule[f.y].axis(axis), "estrin", 1);
  const std::string text = ir::to_string(f.lowered(CpuIsa::kAvx512));
  EXPECT_THAT(text, ::testing::HasSubstr("= estrin(exp("));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("estrin(estrin(")));
}

TEST(Estrin, GivesTheSameResultsUpToRounding) {
  for (const CpuIsa isa : {CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512}) {
    Functions f;
    const std::vector<float> expected = run_program(f.lowered(isa)).front();
    const auto [outer, inner] = f.schedule[f.y].split(f.schedule[f.y].axis(1), factor(16), Tail::partition());
    f.schedule[f.y].vectorize(inner).pragma(outer, "estrin", 1);
    const ir::Program loops = f.lowered(isa);
    for (const ir::Program& program : {loops, expand(loops, cpu_target(isa))}) {
      EXPECT_THAT(run_program(program).front(), ::testing::Pointwise(::testing::FloatNear(1e-6f), expected));
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
