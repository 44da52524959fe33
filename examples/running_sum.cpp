// Running sums over the rows of a matrix: a scan over the first axis. The columns of init and update are split by 256.
// Bound to blocks and threads, init is one launch and every step is another; on the CPU, the same blocks run in
// parallel. Extents and strides are symbols, so that one program serves all sizes.
#include <cstdio>
#include <vector>

#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

constexpr std::int64_t M = 10, N = 1024;

struct RunningSum {
  Var m = var("m"), n = var("n");
  Tensor X = placeholder({m, n}, kFloat32, "X", {var("x_row"), var("x_column")});
  Tensor state = placeholder({m, n}, kFloat32, "state");
  Tensor init = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "init");
  Tensor update = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) + X(t, i); }, "update");
  Tensor Y = scan(init, update, state, {X}, "Y");
  Args args = {X, strided(Y, {var("y_row"), var("y_column")})};
};

std::vector<float> input() {
  std::vector<float> x(M * N);
  for (std::size_t e = 0; e < x.size(); ++e) x[e] = static_cast<float>(e * 7 % 13) - 6;
  return x;
}

std::vector<float> expected() {
  std::vector<float> y = input();
  for (std::size_t e = N; e < y.size(); ++e) y[e] += y[e - N];
  return y;
}

/// The result of `program` in the interpreter.
std::vector<float> interpreted(const ir::Program& program) {
  std::vector<float> x = input(), y(x.size());
  const ir::Memory memory[] = {std::as_writable_bytes(std::span(x)), std::as_writable_bytes(std::span(y))};
  const std::int64_t symbols[] = {M, N, N, 1, N, 1};  // extents, strides of X, strides of Y
  ir::interpret(program, memory, symbols);
  return y;
}

bool on_a_device() {
  const auto [m, n, X, state, init, update, Y, args] = RunningSum();
  Schedule s = create_schedule(Y);
  for (const Tensor& part : {init, update}) {
    const auto [block, thread] = s[part].split(s[part].axis(1), factor(256));
    s[part].bind(block, kBlockIdxX).bind(thread, kThreadIdxX);
  }
  Target cuda;
  cuda.device = DeviceKind::kCuda;
  const ir::Program program = lower(s, args, cuda, "running_sum");
  std::printf("%s\n", to_string(program).c_str());
  return interpreted(program) == expected();
}

bool on_the_cpu() {
  const RunningSum op;
  Schedule s = create_schedule(op.Y);
  for (const Tensor& part : {op.init, op.update}) {
    const auto [block, column] = s[part].split(s[part].axis(1), factor(256));
    s[part].parallel(block);
  }
  const Function running_sum = build(s, op.args, Target::host(), "running_sum");
  std::printf("%s\n", to_string(running_sum.program()).c_str());
  const std::vector<float> x = input();
  std::vector<float> y(x.size());
  running_sum(ArrayView(x.data(), kFloat32, {M, N}), ArrayView(y.data(), kFloat32, {M, N}));
  return y == expected() && interpreted(running_sum.program()) == expected();
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(argc, argv, [](Example& example) {
    example.check("the running sum on a device", on_a_device());
    example.check("the running sum on the CPU", on_the_cpu());
  });
}
