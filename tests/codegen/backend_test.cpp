// The CPU backend's results other than correct code, and its refusals.
#include "codegen/backend.h"

#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <thread>

#include "matmul_program.h"
#include "run_program.h"
#include "support/base/sanitizer.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using namespace ir;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

Program program_of(const std::string& name, std::vector<Parameter> parameters, Stmt body) {
  return {name, std::move(parameters), {}, {}, {}, {}, make_launch(0), {{"main", std::move(body)}}};
}

std::string compile_error(const Program& program) {
  return message<CompileError>(
      [&] { make_backend(DeviceKind::kCpu)->compile(program, testing::target_of(CpuIsa::kAvx2), {}); });
}

TEST(Backend, HasAVersion) {
  EXPECT_THAT(make_backend(DeviceKind::kCpu)->version(), MatchesRegex("LLVM [0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(Backend, GivesTheSameObjectForTheSameProgram) {
  const Program program = testing::matmul_program({12, 32, 8, 6, 16});
  const Target target = testing::target_of(CpuIsa::kAvx2);
  const CompiledObject a = testing::compile(program, target), b = testing::compile(program, target);
  EXPECT_EQ(a.object, b.object);
  EXPECT_EQ(a.symbol, "matmul");
  EXPECT_TRUE(a.ir.empty());
  EXPECT_TRUE(a.assembly.empty());
}

TEST(Backend, KeepsToTheInstructionSet) {
  CompileOptions options;
  options.keep_assembly = options.keep_ir = true;
  const Program program = testing::matmul_program({12, 64, 8, 6, 32});
  const auto assembly = [&](CpuIsa isa) {
    const CompiledObject object = testing::compile(program, testing::target_of(isa), options);
    EXPECT_THAT(object.ir, HasSubstr("define"));
    return object.assembly;
  };
  const std::string sse = assembly(CpuIsa::kX86_64), avx2 = assembly(CpuIsa::kAvx2), avx512 = assembly(CpuIsa::kAvx512);
  EXPECT_THAT(sse, HasSubstr("mulps"));
  EXPECT_THAT(sse, Not(HasSubstr("%ymm")));
  EXPECT_THAT(sse, Not(HasSubstr("vmulps")));
  EXPECT_THAT(avx2, HasSubstr("vfmadd"));
  EXPECT_THAT(avx2, HasSubstr("%ymm"));
  EXPECT_THAT(avx2, Not(HasSubstr("%zmm")));
  EXPECT_THAT(avx512, HasSubstr("%zmm"));
}

TEST(Backend, LoadsOneSymbolSeveralTimes) {
  const Target target = testing::target_of(CpuIsa::kX86_64);
  const CompiledObject small = testing::compile(testing::matmul_program({4, 8, 8, 2, 8}), target);
  const CompiledObject large = testing::compile(testing::matmul_program({8, 8, 8, 2, 8}), target);
  ASSERT_EQ(small.symbol, large.symbol);
  const auto a = load_object(small), b = load_object(large), c = load_object(small);
  EXPECT_NE(a->entry(), b->entry());
  EXPECT_NE(a->entry(), c->entry());
}

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * 4096;
}

TEST(Backend, GivesBackTheMemoryOfCandidates) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer keeps what is freed for a while";
  const CompiledObject object =
      testing::compile(testing::matmul_program({4, 8, 8, 2, 8}), testing::target_of(CpuIsa::kX86_64));
  for (int i = 0; i < 100; ++i) load_object(object);
  const std::int64_t before = resident_bytes();
  for (int i = 0; i < 1000; ++i) load_object(object);
  EXPECT_LT(resident_bytes() - before, 1 << 20);
}

TEST(Backend, CompilesOnSeveralThreadsAtOnce) {
  const auto backend = make_backend(DeviceKind::kCpu);
  const Target target = testing::target_of(CpuIsa::kAvx2);
  const Program program = expand(testing::matmul_program({12, 32, 8, 6, 16}), target);
  std::array<CompileOptions, 2> options;
  options[1].pipeline = Pipeline::kFinal;
  std::array<std::string, 2> expected, actual;
  for (std::size_t i : {0u, 1u}) expected[i] = backend->compile(program, target, options[i]).object;
  const auto compile = [&](std::size_t i) {
    for (int round = 0; round < 5; ++round) actual[i] = backend->compile(program, target, options[i]).object;
  };
  std::thread other(compile, 1);
  compile(0);
  other.join();
  EXPECT_EQ(actual, expected);
  EXPECT_NE(expected[0], expected[1]);
}

TEST(Backend, RefusesToLinkWhatIsNoObject) {
  CompiledObject object;
  object.object = "not an object";
  object.symbol = "matmul";
  EXPECT_THROW(load_object(object), CompileError);
  object = testing::compile(testing::matmul_program({4, 8, 8, 2, 8}), testing::target_of(CpuIsa::kX86_64));
  object.symbol = "other";
  try {
    load_object(object);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the object of kernel other cannot be linked: it has no such symbol"));
  }
}

TEST(Backend, ManglesNamesIntoSymbols) {
  const Buffer B("B", kFloat32, {Expr(4)});
  const Program program = program_of("3d conv-2", {{B, Role::kOutput}}, make_store(B, {0}, Expr(1.0)));
  EXPECT_EQ(testing::compile(program, testing::target_of(CpuIsa::kX86_64)).symbol, "_3d_conv_2");
}

TEST(BackendRefuses, LoopsOfGpus) {
  const Buffer B("B", kFloat32, {Expr(4)});
  const Var i("i");
  EXPECT_THAT(compile_error(program_of("t", {{B, Role::kOutput}},
                                       make_for(i, 0, 4, LoopKind::kBlockX, make_store(B, {i}, Expr(1.0))))),
              HasSubstr("loop i is blockIdx.x"));
}

TEST(BackendRefuses, ParallelLoopsInsideOneAnother) {
  const Buffer B("B", kFloat32, {Expr(4)});
  const Var i("i"), j("j");
  const Stmt inner = make_for(j, 0, 2, LoopKind::kParallel, make_store(B, {i * 2 + j}, Expr(1.0)));
  EXPECT_THAT(compile_error(program_of("t", {{B, Role::kOutput}}, make_for(i, 0, 2, LoopKind::kParallel, inner))),
              HasSubstr("parallel loop j is inside another parallel loop"));
}

TEST(BackendRefuses, LargeLocalArraysAndUnplannedStorage) {
  const Buffer B("B", kFloat32, {Expr(4)}), L("L", kFloat32, {Expr(4097)}, Scope::kLocal), G("G", kFloat32, {Expr(4)});
  const Stmt body = block({make_store(L, {0}, Expr(1.0)), make_store(B, {0}, make_load(L, {0}))});
  EXPECT_THAT(compile_error(program_of("t", {{B, Role::kOutput}}, make_allocate(L, body))),
              HasSubstr("local buffer L takes 16388 bytes, at most 16384 fit"));
  EXPECT_THAT(compile_error(program_of("t", {{B, Role::kOutput}}, make_allocate(G, make_store(G, {0}, Expr(1.0))))),
              HasSubstr("buffer G has no place in the workspace"));
}

TEST(BackendRefuses, UnknownBuffersAndVariables) {
  const Buffer B("B", kFloat32, {Expr(4)}), X("X", kFloat32, {Expr(4)});
  EXPECT_THAT(compile_error(program_of("t", {{B, Role::kOutput}}, make_store(X, {0}, Expr(1.0)))),
              HasSubstr("buffer X is used where it is neither a parameter nor allocated"));
  const Var v("v");
  EXPECT_THAT(compile_error(program_of("t", {{B, Role::kOutput}}, make_store(B, {v}, Expr(1.0)))),
              HasSubstr("variable v is used where nothing defines it"));
}

}  // namespace
}  // namespace nestwright
