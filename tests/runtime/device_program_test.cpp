// Programs on a device: the host statements of hand-made programs, with hand-written OpenCL for their kernels.
#include "runtime/device_program.h"

#include <gtest/gtest.h>

#include "nestwright/device.h"
#include "nestwright/error.h"
#include "tests/runtime/device_arrays.h"

namespace nestwright {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::LoopKind;
using ir::Var;

/// Returns a guarded body inside the loops blockIdx.x of ceil(n/32) and threadIdx.x of 32.
ir::Stmt over(const Var& index_of, const Expr& n, const std::function<ir::Stmt(const Expr&)>& body) {
  const Var block(index_of.name() + ".outer"), thread(index_of.name() + ".inner");
  const Expr at = Expr(block) * Expr(32) + Expr(thread);
  return ir::make_for(block, 0, (n + Expr(31)) / Expr(32), LoopKind::kBlockX,
                      ir::make_for(thread, 0, 32, LoopKind::kThreadX, ir::make_if(at < n, body(at), {})));
}

// Y[0] = X[0]; for t in 0..m-1: Y[t + 1] = Y[t] + X[t + 1], rows of n elements.
ir::Program running_sum() {
  const Var m("m"), n("n"), t("t"), i("i"), j("j");
  const Buffer X("X", kFloat32, {m, n}), Y("Y", kFloat32, {m, n});
  ir::Program program;
  program.name = "running_sum";
  program.symbols = {m, n};
  program.parameters = {{X, ir::Role::kInput}, {Y, ir::Role::kOutput}};
  program.kernels = {
      {"first_row", over(i, n, [&](const Expr& at) { return ir::make_store(Y, {0, at}, ir::make_load(X, {0, at})); })},
      {"next_row", over(j, n, [&](const Expr& at) {
         return ir::make_store(Y, {Expr(t) + 1, at}, ir::make_load(Y, {t, at}) + ir::make_load(X, {Expr(t) + 1, at}));
       })}};
  program.host =
      ir::block({ir::make_launch(0), ir::make_for(t, 0, Expr(m) - 1, LoopKind::kSerial, ir::make_launch(1))});
  return program;
}

// The arguments in the order of ir::kernel_arguments: parameters, then the symbol n, then the host's variable t.
constexpr const char* kRunningSum = R"(
__kernel void first_row(__global const float* X, __global float* Y, long n) {
  const long j = get_global_id(0);
  if (j < n) Y[j] = X[j];
}
__kernel void next_row(__global const float* X, __global float* Y, long n, long t) {
  const long j = get_global_id(0);
  if (j < n) Y[(t + 1) * n + j] = Y[t * n + j] + X[(t + 1) * n + j];
}
)";

class DeviceProgramTest : public ::testing::Test {
 protected:
  std::shared_ptr<Device> device_ = make_device(DeviceKind::kOpenCl);
};

TEST_F(DeviceProgramTest, AScanIsALoopOfLaunchesWithSymbolicExtents) {
  DeviceProgram program(device_, kRunningSum, running_sum());
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{10, 1024}, {3, 33}, {1, 5}}) {
    std::vector<float> x(static_cast<std::size_t>(m * n)), expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i % 7) - 3;
      expected[i] = x[i] + (i >= static_cast<std::size_t>(n) ? expected[i - static_cast<std::size_t>(n)] : 0);
    }
    const DeviceMemoryPtr in = send(*device_, x), out = device_->allocate(in->bytes());
    program.run(std::vector{in, out}, std::vector{m, n});
    EXPECT_EQ(fetch<float>(*device_, *out), expected) << m << " x " << n;
  }
}

// T = 2*X; then Y = T + (n - 1) if n > 4, else Y = T.
ir::Program in_two_steps() {
  const Var n("n"), last("last"), i("i"), j("j"), k("k");
  const Buffer X("X", kFloat32, {n}), Y("Y", kFloat32, {n}), T("T", kFloat32, {n});
  ir::Program program;
  program.name = "in_two_steps";
  program.symbols = {n};
  program.parameters = {{X, ir::Role::kInput}, {Y, ir::Role::kOutput}};
  program.kernels = {
      {"twice",
       over(i, n, [&](const Expr& at) { return ir::make_store(T, {at}, ir::make_load(X, {at}) * Expr(2.0)); })},
      {"add_last", over(j, n,
                        [&](const Expr& at) {
                          return ir::make_store(Y, {at}, ir::make_load(T, {at}) + ir::cast(kFloat32, last));
                        })},
      {"plain", over(k, n, [&](const Expr& at) { return ir::make_store(Y, {at}, ir::make_load(T, {at})); })}};
  program.host = ir::make_allocate(
      T,
      ir::block({ir::make_launch(0),
                 ir::make_let(last, Expr(n) - 1, ir::make_if(Expr(n) > 4, ir::make_launch(1), ir::make_launch(2)))}));
  return program;
}

constexpr const char* kInTwoSteps = R"(
__kernel void twice(__global const float* X, __global float* T, long n) {
  if (get_global_id(0) < n) T[get_global_id(0)] = X[get_global_id(0)] * 2;
}
__kernel void add_last(__global float* Y, __global const float* T, long n, long last) {
  if (get_global_id(0) < n) Y[get_global_id(0)] = T[get_global_id(0)] + last;
}
__kernel void plain(__global float* Y, __global const float* T, long n) {
  if (get_global_id(0) < n) Y[get_global_id(0)] = T[get_global_id(0)];
}
)";

TEST_F(DeviceProgramTest, WorkspaceLetsAndConditionsOfTheHost) {
  std::vector<std::int64_t> allocated;
  DeviceProgram program(device_, kInTwoSteps, in_two_steps(), [&](std::int64_t bytes) {
    allocated.push_back(bytes);
    return device_->allocate(bytes);
  });
  const auto run = [&](std::vector<float> x) {
    const DeviceMemoryPtr in = send(*device_, x), out = device_->allocate(in->bytes());
    program.run(std::vector{in, out}, std::vector{static_cast<std::int64_t>(x.size())});
    return fetch<float>(*device_, *out);
  };
  EXPECT_EQ(run({1, 2, 3}), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(run({1, 2, 3, 4, 5, 6}), (std::vector<float>{7, 9, 11, 13, 15, 17}));
  EXPECT_EQ(run({5}), (std::vector<float>{10}));
  EXPECT_EQ(allocated, (std::vector<std::int64_t>{12, 24})) << "what is large enough is kept";
}

TEST_F(DeviceProgramTest, RefusesCodeWithoutItsKernels) {
  try {
    DeviceProgram(device_, kInTwoSteps, running_sum());
    FAIL();
  } catch (const DeviceError& e) {
    EXPECT_STREQ(e.what(), "the code for OpenCL has no kernel first_row");
  }
}

TEST(BytesInMemory, CountGapsBetweenRows) {
  const Var n("n");
  const std::vector<Var> symbols{n};
  const std::vector<std::int64_t> five{5}, none{0};
  EXPECT_EQ(bytes_in_memory(Buffer("a", kFloat32, {3, n}), symbols, five), 60);
  EXPECT_EQ(bytes_in_memory(Buffer("a", kFloat32, {3, n}, ir::Scope::kGlobal, {8, 1}), symbols, five), (2 * 8 + 5) * 4);
  EXPECT_EQ(bytes_in_memory(Buffer("a", kFloat16, {3, n}), symbols, none), 0);
  EXPECT_EQ(bytes_in_memory(Buffer("a", kFloat64, {}), symbols, five), 8);
  EXPECT_THROW(bytes_in_memory(Buffer("a", kFloat32, {n, std::int64_t{1} << 62}), symbols, five), UsageError);
}

}  // namespace
}  // namespace nestwright
