// A scan with two states of different width: running sums of two matrices, in one recurrence.
#include <cstdio>

#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

constexpr std::int64_t M = 7, N = 20, L = 5;

bool is_running_sum(Array& sums, Array& of) {
  const auto width = static_cast<std::size_t>(of.shape()[1]);
  for (std::size_t e = 0; e < sums.as<float>().size(); ++e) {
    const float before = e < width ? 0 : sums.as<float>()[e - width];
    if (sums.as<float>()[e] != before + of.as<float>()[e]) return false;
  }
  return true;
}

bool is_right() {
  const Var m = var("m"), n = var("n"), l = var("l");
  const Tensor X1 = placeholder({m, n}, kFloat32, "X1"), X2 = placeholder({m, l}, kFloat32, "X2");
  const Tensor state1 = placeholder({m, n}, kFloat32, "state1"), state2 = placeholder({m, l}, kFloat32, "state2");
  const Tensor init1 = compute({1, n}, [&](Expr, Expr i) { return X1(0, i); }, "init1");
  const Tensor init2 = compute({1, l}, [&](Expr, Expr i) { return X2(0, i); }, "init2");
  const Tensor update1 = compute({m, n}, [&](Expr t, Expr i) { return state1(t - 1, i) + X1(t, i); }, "update1");
  const Tensor update2 = compute({m, l}, [&](Expr t, Expr i) { return state2(t - 1, i) + X2(t, i); }, "update2");
  const std::vector<Tensor> Y = scan({init1, init2}, {update1, update2}, {state1, state2}, {X1, X2}, "Y");

  const Function sums = build(create_schedule(Y), {X1, X2, Y[0], Y[1]}, Target::host(), "two_sums");
  std::printf("%s\n", to_string(sums.program()).c_str());

  Array x1 = Array::empty(kFloat32, {M, N}), x2 = Array::empty(kFloat32, {M, L});
  Array y1 = Array::empty(kFloat32, {M, N}), y2 = Array::empty(kFloat32, {M, L});
  for (Array* x : {&x1, &x2}) {
    for (std::size_t e = 0; e < x->as<float>().size(); ++e) x->as<float>()[e] = static_cast<float>(e * 7 % 13) - 6;
  }
  sums(x1, x2, y1, y2);
  return is_running_sum(y1, x1) && is_running_sum(y2, x2);
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(argc, argv, [](Example& example) { example.check("the scan", is_right()); });
}
