// warp_shuffles: exchanges through shared memory become shuffles on CUDA, for whole warps in uniform control flow, and
// nowhere else.
#include <gmock/gmock.h>

#include "devices.h"
#include "lower/passes.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Target cuda() { return Target::parse("cuda"); }

/// x ^ bit, by arithmetic.
Expr across(const Expr& x, int bit) { return x / (2 * bit) * (2 * bit) + (x + bit) % (2 * bit); }

/// Reduces rows of `threads` columns by exchanges in shared memory, over all bits below `warp`, highest first.
struct Butterfly {
  int threads = 64, warp = 32;
  int rows = 1;  ///< a block, along threadIdx.y
  ir::ReducerKind kind = ir::ReducerKind::kSum;
  Type type = kFloat32;
  Expr (*partner)(const Expr& x, int bit) = across;

  static constexpr int kBlocks = 3;
  Tensor a, c;
  std::vector<Tensor> steps;

  void define() {
    a = placeholder({kBlocks * rows, threads}, type, "A");
    steps = {compute({kBlocks * rows, threads}, [&](Expr i, Expr x) { return a(i, x) * 2; }, "s")};
    for (int bit = warp / 2; bit > 1; bit /= 2) {
      const Tensor before = steps.back();
      steps.push_back(compute(
          {kBlocks * rows, threads},
          [&](Expr i, Expr x) { return ir::reducer_combine(kind, before(i, x), before(i, partner(x, bit))); }, "s"));
    }
    const Tensor last = steps.back();
    c = compute(
        {kBlocks * rows, threads},
        [&](Expr i, Expr x) { return ir::reducer_combine(kind, last(i, x), last(i, partner(x, 1))) + 1; }, "C");
  }

  ir::Program lowered(const Target& target) {
    define();
    Schedule s = create_schedule(c);
    const IterVar x = s[c].axis(1);
    if (rows > 1) {
      const auto [block, y] = s[c].split(s[c].axis(0), factor(rows));
      s[c].bind(block, kBlockIdxX).bind(y, kThreadIdxY);
    } else {
      s[c].bind(s[c].axis(0), kBlockIdxX);
    }
    s[c].bind(x, kThreadIdxX);
    for (const Tensor& step : steps) {
      s[step].set_scope(ir::Scope::kShared).compute_at(s[c], x).bind(s[step].axis(1), kThreadIdxX);
      if (rows > 1) s[step].bind(s[step].axis(0), kThreadIdxY);
    }
    return lower(s, {a, c}, target, "f");
  }
};

ir::Program expanded(const ir::Program& program, const Target& target) {
  return expand(program, target, {.after_pass = {}, .verify = true});
}

int shuffles(const ir::Program& program) {
  const std::string text = ir::to_string(program);
  int count = 0;
  for (std::size_t at = text.find("shuffle_xor"); at != std::string::npos; at = text.find("shuffle_xor", at + 1))
    ++count;
  return count;
}

TEST(WarpShuffles, AnElementOfEachThreadGoesFromRegisterToRegister) {
  Butterfly b{.threads = 64, .warp = 4};
  const ir::Program program = b.lowered(cuda());
  EXPECT_EQ(count_barriers(program.kernels[0].body), 2);
  EXPECT_EQ(ir::to_string(expanded(program, cuda()).kernels[0].body),
            "blockIdx.x i in 0..3:\n"
            "  threadIdx.x j in 0..64:\n"
            "    local s: float32[1]\n"
            "    local s_2: float32[1]\n"
            "    s[0] = A[i, j]*2.0\n"
            "    local s.of_2: float32[1]\n"
            "    s.of_2[0] = shuffle_xor(s[0], 2)\n"
            "    s_2[0] = s[0] + s.of_2[0]\n"
            "    local s_2.of_1: float32[1]\n"
            "    s_2.of_1[0] = shuffle_xor(s_2[0], 1)\n"
            "    C[i, j] = s_2[0] + s_2.of_1[0] + 1.0\n");
}

class WarpShufflesOf : public ::testing::TestWithParam<std::tuple<int, int, ir::ReducerKind>> {};

TEST_P(WarpShufflesOf, GiveWhatIsComputedWithoutThem) {
  const auto [threads, rows, kind] = GetParam();
  Butterfly b{.threads = threads, .warp = std::min(threads, 32), .rows = rows, .kind = kind};
  const ir::Program program = b.lowered(cuda());
  const ir::Program result = expanded(program, cuda());
  EXPECT_THAT(ir::verify(result, ir::Form::kDeviceVector), IsEmpty());
  EXPECT_EQ(shuffles(result), static_cast<int>(b.steps.size()));
  EXPECT_EQ(count_barriers(result.kernels[0].body), 0);
  EXPECT_THAT(ir::to_string(result), Not(HasSubstr("shared")));
  for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(run_program(result, seed), run_unscheduled(b.c, {b.a, b.c}));
}

INSTANTIATE_TEST_SUITE_P(Blocks, WarpShufflesOf,
                         ::testing::Combine(::testing::Values(8, 32, 64), ::testing::Values(4),
                                            ::testing::Values(ir::ReducerKind::kSum, ir::ReducerKind::kMax,
                                                              ir::ReducerKind::kMin)));

/// Expects the exchanges to stay in shared memory, with their barriers.
void expect_shared(Butterfly b, const Target& target = cuda()) {
  const ir::Program program = b.lowered(target);
  const ir::Program result = expanded(program, target);
  EXPECT_EQ(shuffles(result), 0);
  EXPECT_EQ(count_barriers(result.kernels[0].body), count_barriers(program.kernels[0].body));
}

TEST(WarpShuffles, OtherDevicesHaveNone) {
  expect_shared({}, device_target(DeviceKind::kOpenCl));
  Target narrow = cuda();
  narrow.warp = 16;
  expect_shared({}, narrow);
}

TEST(WarpShuffles, BlocksThatAreNoWholeWarpsHaveNone) {
  expect_shared({.threads = 16, .warp = 16});
  expect_shared({.threads = 48, .warp = 16});
}

TEST(WarpShuffles, ElementsThatARegisterIsWiderThanStayShared) { expect_shared({.type = kFloat16}); }

TEST(WarpShuffles, OtherPartnersAreAskedThroughSharedMemory) {
  expect_shared({.warp = 4, .partner = [](const Expr& x, int bit) { return (x + bit) % 64; }});
  expect_shared({.warp = 4, .partner = [](const Expr& x, int) { return x / 32 * 32; }});
  expect_shared({.warp = 4, .partner = [](const Expr& x, int) { return across(x, 32); }});
}

TEST(WarpShuffles, WhatOtherWarpsReadStaysSharedAndTheRestDoesNot) {
  Butterfly b{.threads = 64, .warp = 32};
  b.define();
  const Tensor total = compute(
      {Butterfly::kBlocks, 64}, [&](Expr i, Expr) { return b.steps.back()(i, 0) + b.steps.back()(i, 32); }, "D");
  Schedule s = create_schedule(total);
  const IterVar x = s[total].axis(1);
  s[total].bind(s[total].axis(0), kBlockIdxX).bind(x, kThreadIdxX);
  for (const Tensor& step : b.steps) {
    s[step].set_scope(ir::Scope::kShared).compute_at(s[total], x).bind(s[step].axis(1), kThreadIdxX);
  }
  const ir::Program program = lower(s, {b.a, total}, cuda(), "f");
  EXPECT_EQ(count_barriers(program.kernels[0].body), 5);
  const ir::Program result = expanded(program, cuda());
  EXPECT_EQ(shuffles(result), 4);
  EXPECT_EQ(count_barriers(result.kernels[0].body), 1);
  EXPECT_EQ(run_program(result, 2), run_unscheduled(total, {b.a, total}));
}

}  // namespace
}  // namespace nestwright::testing
