// From a program in loop form to a verified time, through the real worker in both roles.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "measure/build/builder.h"
#include "measure/run/runner.h"
#include "tests/codegen/matmul_program.h"
#include "tests/measure/use_worker.h"

namespace nestwright {
namespace {

using testing::MatmulShape;

// Inputs in [-1, 1], the product in double, and the bound of docs/design/measurement.md.
CheckData matmul_data(const MatmulShape& s) {
  CheckData data;
  data.types.assign(3, s.type);
  data.elements = {s.m * s.k, s.k * s.n, s.m * s.n};
  data.roles = {ir::Role::kInput, ir::Role::kInput, ir::Role::kOutput};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int i = 0; i < 2; ++i) {
    data.inputs.emplace_back(static_cast<std::size_t>(data.elements[static_cast<std::size_t>(i)]));
    for (double& x : data.inputs.back()) x = uniform(random);
  }
  data.expected.resize(1);
  data.bound.resize(1);
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      double sum = 0, sizes = 0;
      for (std::int64_t k = 0; k < s.k; ++k) {
        const double term = data.inputs[0][static_cast<std::size_t>(i * s.k + k)] *
                            data.inputs[1][static_cast<std::size_t>(k * s.n + j)];
        sum += term;
        sizes += std::abs(term);
      }
      data.expected[0].push_back(sum);
      data.bound[0].push_back(8 * std::sqrt(static_cast<double>(s.k)) * std::ldexp(1.0, -24) * sizes);
    }
  }
  return data;
}

class EndToEnd : public ::testing::Test {
 protected:
  void SetUp() override { use_worker(WORKER); }

  static std::vector<BuildResult> build(const std::vector<ir::Program>& programs,
                                        Pipeline pipeline = Pipeline::kSearch) {
    return make_local_builder(Target::parse("cpu,threads=2"), {.processes = 2})->build(programs, pipeline);
  }

  static std::vector<Measurement> run(const MatmulShape& shape, const std::vector<BuildResult>& built,
                                      int threads = 1) {
    RunnerOptions options;
    options.threads = threads;
    options.timing.sample_ns = 2e5;
    std::vector<Contender> contenders;
    for (const BuildResult& result : built) contenders.push_back({&result.object});
    return make_local_runner(matmul_data(shape), options)->run(contenders, std::nullopt).measurements;
  }
};

TEST_F(EndToEnd, ProductsAreBuiltVerifiedAndTimed) {
  const MatmulShape shape{65, 49, 33, 6, 32};
  MatmulShape other = shape;
  other.tile_m = 4, other.tile_n = 16, other.unroll_k = 2;
  const auto built = build({testing::matmul_program(shape), testing::matmul_program(other)});
  for (const BuildResult& result : built) {
    ASSERT_EQ(result.outcome, Outcome::kOk) << result.message;
    EXPECT_FALSE(result.object.object.empty());
    EXPECT_GT(result.compile_ms, 0);
  }
  for (const Measurement& m : run(shape, built)) {
    EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
    EXPECT_TRUE(m.evidence.verified);
    EXPECT_GT(m.evidence.largest_error, 0) << "float32 against double";
    EXPECT_LE(m.evidence.largest_error_ratio, 1);
    EXPECT_GT(m.timing.median_ns, 0);
  }
}

TEST_F(EndToEnd, ParallelProductsRunOnThePool) {
  MatmulShape shape{64, 64, 64, 8, 32};
  shape.parallel = true;
  const auto built = build({testing::matmul_program(shape)}, Pipeline::kFinal);
  ASSERT_EQ(built[0].outcome, Outcome::kOk) << built[0].message;
  const Measurement m = run(shape, built, 2)[0];
  EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
  EXPECT_TRUE(m.evidence.verified);
}

TEST_F(EndToEnd, AProductOfAnotherShapeIsWrong) {
  const MatmulShape shape{32, 32, 32, 4, 16};
  MatmulShape shallow = shape;
  shallow.k = 16;
  const auto built = build({testing::matmul_program(shallow)});
  EXPECT_EQ(run(shape, built)[0].outcome, Outcome::kWrongResult);
  MatmulShape larger = shape;
  larger.m = 64;
  EXPECT_EQ(run(shape, build({testing::matmul_program(larger)}))[0].outcome, Outcome::kCrash)
      << "it reads past the end";
}

TEST_F(EndToEnd, WhatCannotBeLoweredIsAnInvalidConfiguration) {
  // A register tile indexed by a loop that is not unrolled.
  const ir::Buffer out("out", kFloat32, {ir::Expr(16)}), tile("tile", kFloat32, {ir::Expr(16)}, ir::Scope::kRegister);
  const ir::Var i("i");
  ir::Program program;
  program.name = "refused";
  program.parameters = {{out, ir::Role::kOutput}};
  program.host = ir::make_launch(0);
  program.kernels = {
      {"main", ir::make_allocate(tile, ir::make_for(i, 0, 16, ir::LoopKind::kSerial,
                                                    ir::make_store(tile, {i}, ir::make_float(1, kFloat32))))}};
  const MatmulShape fine{32, 32, 32, 4, 16};
  const auto built = build({program, testing::matmul_program(fine)});
  EXPECT_EQ(built[0].outcome, Outcome::kInvalidConfig);
  EXPECT_NE(built[0].message, "");
  EXPECT_EQ(built[1].outcome, Outcome::kOk);
}

/// Computes the output from a copy of the input that the preparation makes, correctly or reversed.
ir::Program prepared_copy(std::int64_t n, bool right) {
  const ir::Buffer in("in", kFloat32, {ir::Expr(n)}), copy("copy", kFloat32, {ir::Expr(n)}),
      out("out", kFloat32, {ir::Expr(n)});
  const ir::Var i("i"), j("j");
  ir::Program program;
  program.name = "copied";
  program.parameters = {{in, ir::Role::kInput, -1, true}, {out, ir::Role::kOutput}, {copy, ir::Role::kPrepared}};
  program.host = ir::make_launch(0);
  program.preparation = ir::make_launch(1);
  const ir::Expr element = ir::make_load(copy, {i});
  const ir::Expr copied = ir::make_load(in, {right ? ir::Expr(j) : ir::Expr(n - 1) - ir::Expr(j)});
  program.kernels = {{"main", ir::make_for(i, 0, n, ir::LoopKind::kSerial, ir::make_store(out, {i}, element))},
                     {"prepare", ir::make_for(j, 0, n, ir::LoopKind::kSerial, ir::make_store(copy, {j}, copied))}};
  return program;
}

TEST_F(EndToEnd, WhatIsPreparedIsMadeOutsideOfTheTime) {
  constexpr std::int64_t kElements = 48;
  CheckData data;
  data.types.assign(2, kFloat32);
  data.elements = {kElements, kElements};
  data.roles = {ir::Role::kInput, ir::Role::kOutput};
  data.inputs.resize(1);
  for (std::int64_t i = 0; i < kElements; ++i) data.inputs[0].push_back(static_cast<double>(i));
  data.expected = data.inputs;
  data.bound.assign(1, std::vector<double>(kElements, 0));
  const auto built = build({prepared_copy(kElements, true), prepared_copy(kElements, false)});
  for (const BuildResult& result : built) ASSERT_EQ(result.outcome, Outcome::kOk) << result.message;
  EXPECT_EQ(built[0].object.prepared_bytes, (std::vector<std::int64_t>{192}));
  RunnerOptions options;
  options.timing.sample_ns = 2e5;
  const std::unique_ptr<Runner> runner = make_local_runner(data, options);
  const std::vector<Measurement> measured =
      runner->run({{&built[0].object}, {&built[1].object}}, std::nullopt).measurements;
  EXPECT_EQ(measured[0].outcome, Outcome::kOk) << measured[0].message;
  EXPECT_TRUE(measured[0].evidence.verified);
  EXPECT_EQ(measured[1].outcome, Outcome::kWrongResult);
  EXPECT_EQ(measured[1].message, "parameter 1 element 0: expected 0, got 47, allowed error 0");
  const Measurement again = runner->race({{&built[0].object}})[0];
  EXPECT_EQ(again.outcome, Outcome::kOk) << again.message;
  EXPECT_GT(again.timing.median_ns, 0) << "a race prepares, too, for the worker is a new one";
}

TEST_F(EndToEnd, ProgramsWithSymbolsAreNotTimed) {
  const ir::Var n("n"), i("i");
  const ir::Buffer out("out", kFloat32, {n});
  ir::Program program;
  program.name = "any_length";
  program.symbols = {n};
  program.parameters = {{out, ir::Role::kOutput}};
  program.host = ir::make_launch(0);
  program.kernels = {
      {"main", ir::make_for(i, 0, n, ir::LoopKind::kSerial, ir::make_store(out, {i}, ir::make_float(1, kFloat32)))}};
  const auto built = build({program});
  EXPECT_EQ(built[0].outcome, Outcome::kInvalidConfig);
  EXPECT_EQ(built[0].message,
            "any_length has the symbolic extent or stride n: only programs of constant shapes are timed");
}

}  // namespace
}  // namespace nestwright
