// Code fingerprints are equal for equal machine code, whatever the symbols' names, and differ for different code.
#include <gmock/gmock.h>

#include "codegen/backend.h"
#include "matmul_program.h"
#include "run_program.h"

namespace nestwright {
namespace {

std::string code_of(const ir::Program& program, CpuIsa isa = CpuIsa::kAvx2, Pipeline pipeline = Pipeline::kSearch) {
  CompileOptions options;
  options.pipeline = pipeline;
  return testing::compile(program, testing::target_of(isa), options).code_fingerprint;
}

TEST(CodeIdentity, DoesNotDependOnNames) {
  const ir::Program program = testing::matmul_program({12, 32, 8, 6, 16});
  ir::Program renamed = program;
  renamed.name = "another_and_longer_name";
  EXPECT_THAT(code_of(program), ::testing::MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(code_of(program), code_of(renamed));
  EXPECT_NE(testing::compile(program, testing::target_of(CpuIsa::kAvx2)).object,
            testing::compile(renamed, testing::target_of(CpuIsa::kAvx2)).object);
}

TEST(CodeIdentity, DependsOnTheInstructionsAndTheWorkspace) {
  const ir::Program program = testing::matmul_program({12, 32, 8, 6, 16});
  EXPECT_NE(code_of(program), code_of(testing::matmul_program({12, 32, 8, 4, 16})));
  EXPECT_NE(code_of(program), code_of(testing::matmul_program({12, 32, 16, 6, 16})));
  EXPECT_NE(code_of(program), code_of(program, CpuIsa::kX86_64));
  const Target target = testing::target_of(CpuIsa::kAvx2);
  ir::Program larger = expand(program, target);
  larger.workspace.shared_bytes += 64;
  EXPECT_NE(code_of(program), make_backend(DeviceKind::kCpu)->compile(larger, target, {}).code_fingerprint);
}

/// out[0] = in[0] * value. The constant lies in a section of its own; the instructions do not depend on it.
ir::Program times(double value) {
  using namespace ir;
  const Buffer in("in", kFloat64, {Expr(1)}), out("out", kFloat64, {Expr(1)});
  const Stmt store = make_store(out, {Expr(0)}, make_load(in, {Expr(0)}) * make_float(value, kFloat64));
  return {"times", {{in, Role::kInput}, {out, Role::kOutput}}, {}, {}, {}, {}, make_launch(0), {{"main", store}}};
}

TEST(CodeIdentity, DependsOnConstants) {
  EXPECT_EQ(code_of(times(1.5)), code_of(times(1.5)));
  EXPECT_NE(code_of(times(1.5)), code_of(times(2.5)));
}

}  // namespace
}  // namespace nestwright
