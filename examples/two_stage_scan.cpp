// A scan whose step has two stages: s1 = state*2, s2 = s1 + X. s1 is computed inside s2, 32 columns at a time.
#include <cstdio>

#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

constexpr std::int64_t M = 6, N = 100;

bool is_right() {
  const Var m = var("m"), n = var("n");
  const Tensor X = placeholder({m, n}, kFloat32, "X");
  const Tensor state = placeholder({m, n}, kFloat32, "state");
  const Tensor init = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "init");
  const Tensor s1 = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) * 2.0; }, "s1");
  const Tensor s2 = compute({m, n}, [&](Expr t, Expr i) { return s1(t, i) + X(t, i); }, "s2");
  const Tensor Y = scan(init, s2, state, {X}, "Y");

  Schedule s = create_schedule(Y);
  const auto [outer, inner] = s[s2].split(s[s2].axis(1), factor(32));
  s[s1].compute_at(s[s2], outer);

  const Function two_stages = build(s, {X, Y}, Target::host(), "two_stages");
  std::printf("%s\n", to_string(two_stages.program()).c_str());

  Array x = Array::empty(kFloat32, {M, N}), y = Array::empty(kFloat32, {M, N});
  for (std::size_t e = 0; e < x.as<float>().size(); ++e) x.as<float>()[e] = static_cast<float>(e * 7 % 13) - 6;
  two_stages(x, y);
  for (std::size_t e = 0; e < y.as<float>().size(); ++e) {
    const float before = e < N ? 0 : y.as<float>()[e - N] * 2;
    if (y.as<float>()[e] != before + x.as<float>()[e]) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return main_of(argc, argv, [](Example& example) { example.check("the scan", is_right()); });
}
