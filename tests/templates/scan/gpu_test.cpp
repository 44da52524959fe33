// The schedule of scan.gpu with symbolic steps and columns: a kernel for sizes that are known at a call.
#include <gmock/gmock.h>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "templates/scan/scan.h"
#include "tests/templates/gpu_cases.h"

namespace nestwright {
namespace {

ir::Program symbolic_sum(const Target& target, const ElementTile& tile, bool in_threads) {
  const Var m = var("m"), n = var("n");
  const Tensor x = placeholder({m, n}, kFloat32, "X");
  const ScanTensors scan = make_scan("sum", x);
  Schedule s = create_schedule(scan.y);
  bind_scan(s, scan, tile, in_threads);
  return lower(s, {x, scan.y}, target, "cumulative_sum", {.after_pass = {}, .verify = true});
}

void expect_sums(const ir::Program& program, std::size_t steps, std::size_t columns) {
  std::vector<float> x(steps * columns), y(steps * columns, -1e30F);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 11) - 5;
  const std::vector<ir::Memory> memory{std::as_writable_bytes(std::span(x)), std::as_writable_bytes(std::span(y))};
  const std::vector<std::int64_t> sizes{static_cast<std::int64_t>(steps), static_cast<std::int64_t>(columns)};
  ir::interpret(program, memory, sizes, {.seed = steps + columns});
  for (std::size_t j = 0; j < columns; ++j) {
    float sum = 0;
    for (std::size_t t = 0; t < steps; ++t) {
      sum += x[t * columns + j];
      ASSERT_EQ(y[t * columns + j], sum) << steps << "x" << columns << " at " << t << ", " << j;
    }
  }
}

TEST(ScanGpu, OfSymbolicStepsAndColumns) {
  for (const Target& target : {testing_gpu::cuda(), testing_gpu::opencl()}) {
    for (const bool in_threads : {false, true}) {
      for (const ElementTile& tile : {ElementTile{.threads = 256}, ElementTile{.threads = 64, .items = 2}}) {
        const ir::Program loops = symbolic_sum(target, tile, in_threads);
        EXPECT_THAT(ir::verify(loops, ir::Form::kLoop), ::testing::IsEmpty());
        for (const ir::Program& program : {loops, expand(loops, target, {.after_pass = {}, .verify = true})}) {
          expect_sums(program, 10, 1024);
          expect_sums(program, 3, 300);
          expect_sums(program, 1, 1);
        }
      }
    }
  }
}

TEST(ScanGpu, RunsTheTimeInTheThreadsOrAsLaunches) {
  const auto host = [](bool in_threads) {
    const std::string text = ir::to_string(symbolic_sum(testing_gpu::cuda(), {.threads = 256}, in_threads));
    return text.substr(0, text.find("  kernel "));
  };
  const std::string head =
      "program cumulative_sum<m, n>(X: float32[m, n]) -> (Y: float32[m, n])\n"
      "  launch cumulative_sum_kernel0\n";
  EXPECT_EQ(host(true), head + "  launch cumulative_sum_kernel1\n");
  EXPECT_EQ(host(false), head +
                             "  for t in 0..(m - 1):\n"
                             "    launch cumulative_sum_kernel1\n");
}

}  // namespace
}  // namespace nestwright
