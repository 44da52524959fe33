// Expressions and an instruction of docs/language.md, computed by their default schedules and compared with plain
// loops.
#include <algorithm>
#include <numeric>
#include <vector>

#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

std::vector<float> values(std::size_t count) {
  std::vector<float> list(count);
  for (std::size_t e = 0; e < count; ++e) list[e] = static_cast<float>(e * 7 % 13);
  return list;
}

void show_reducer(Example& example) {
  constexpr int M = 6, K = 13;
  Tensor A = placeholder({M, K}, kFloat32, "A");
  IterVar k = reduce_axis(K, "k");
  const Reducer argmax("argmax", {Expr(-1), min_value(kFloat32)}, [](std::span<const Expr> a, std::span<const Expr> b) {
    return std::vector<Expr>{select(a[1] >= b[1], a[0], b[0]), max(a[1], b[1])};
  });
  std::vector<Tensor> best =
      compute_tuple({M}, [&](std::span<const Expr> i) { return argmax({k, A(i[0], k)}, {k}); }, "best");

  Schedule s = create_schedule(best);
  example.show("argmax", s, {A, best[0], best[1]});
  const Function function = build(s, {A, best[0], best[1]}, Target::host(), "argmax");
  const std::vector<float> a = values(M * K);
  std::vector<std::int64_t> at(M);
  std::vector<float> largest(M);
  function(ArrayView(a.data(), kFloat32, {M, K}), ArrayView(at.data(), kInt64, {M}),
           ArrayView(largest.data(), kFloat32, {M}));
  bool is_right = true;
  for (std::size_t i = 0; i < M; ++i) {
    const auto row = a.begin() + static_cast<std::ptrdiff_t>(i * K);
    is_right = is_right && at[i] == std::max_element(row, row + K) - row && largest[i] == 12;
  }
  example.check("argmax", is_right);
}

void show_options(Example& example) {
  constexpr int M = 8, K = 8;
  Tensor A = placeholder({M, K}, kFloat32, "A"), B = placeholder({M}, kFloat32, "B");
  IterVar k = reduce_axis(K, "k");
  Tensor below = compute({M}, [&](Expr i) { return sum(A(i, k), k, {.where = k <= i, .init = B(i)}); }, "below");

  Schedule s = create_schedule(below);
  example.show("where and init", s, {A, B, below});
  const Function function = build(s, {A, B, below}, Target::host(), "below");
  const std::vector<float> a = values(M * K), b(M, 100);
  std::vector<float> sums(M), expected(M, 100);
  function(ArrayView(a.data(), kFloat32, {M, K}), ArrayView(b.data(), kFloat32, {M}),
           ArrayView(sums.data(), kFloat32, {M}));
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j <= i; ++j) expected[i] += a[i * K + j];
  }
  example.check("where and init", sums == expected);
}

void show_scan(Example& example) {
  Var m = var("m"), n = var("n");
  Tensor X = placeholder({m, n}, kFloat32, "X");
  Tensor state = placeholder({m, n}, kFloat32, "state");
  Tensor init = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "init");
  Tensor update = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) + X(t, i); }, "update");
  Tensor Y = scan(init, update, state, {X}, "Y");

  Schedule s = create_schedule(Y);
  example.show("scan", s, {X, Y});
  const Function function = build(s, {X, Y}, Target::host(), "running_sum");
  const std::vector<float> x = values(20);
  std::vector<float> y(20), expected(20);
  function(ArrayView(x.data(), kFloat32, {20, 1}), ArrayView(y.data(), kFloat32, {20, 1}));
  std::partial_sum(x.begin(), x.end(), expected.begin());
  example.check("scan", y == expected);
}

void show_prepare(Example& example) {
  Tensor A = placeholder({128}, kFloat32, "A");
  Tensor B = compute({128}, [&](Expr i) { return A(i) + 1.0; }, "B");
  Tensor C = compute({128}, [&](Expr i) { return B(i) * 2.0; }, "C");
  Schedule s = create_schedule(C);
  s[B].prepare();
  Array a = numbers({128}), c = Array::empty(kFloat32, {128});
  Function for_one_A = build(s, {A, C}, Target::host(), "f").prepare(a);
  for_one_A(c);
  example.check("prepare", c.as<float>()[5] == (a.as<float>()[5] + 1) * 2);
}

/// The instruction of dot_u8s8_16x4().
TensorIntrinsic dot_of_bytes() {
  TensorIntrinsic dot;
  dot.name = "dot";
  Tensor a = placeholder({4}, kUInt8, "a"), b = placeholder({16, 4}, kInt8, "b");
  IterVar k = reduce_axis(4, "k");
  dot.inputs = {a, b};
  dot.pattern = compute({16}, [&](Expr l) { return sum(cast(kInt32, a(k)) * cast(kInt32, b(l, k)), k); }, "dot");
  dot.emit = [](const TensorSlice& out, std::span<const TensorSlice> in) {
    Var l("l");
    Expr left = ir::join({in[0].load({0}), in[0].load({1}), in[0].load({2}), in[0].load({3})});
    Expr right = ir::join({in[1].load({l, 0}), in[1].load({l, 1}), in[1].load({l, 2}), in[1].load({l, 3})});
    Expr sums = ir::dot(ir::Intrinsic::kDotU8S8, out.load({l}), left, right);
    return ir::make_for(l, 0, 16, ir::LoopKind::kVectorized, out.store({l}, sums));
  };
  return dot;
}

void show_instruction(Example& example) {
  Tensor A = placeholder({12}, kUInt8, "A"), B = placeholder({3, 16, 4}, kInt8, "B");
  IterVar ko = reduce_axis(3, "ko"), ki = reduce_axis(4, "ki");
  Tensor C = compute(
      {16}, [&](Expr j) { return sum(cast(kInt32, A(ko * 4 + ki)) * cast(kInt32, B(ko, j, ki)), {ko, ki}); }, "C");
  Schedule s = create_schedule(C);
  s[C].reorder({ko, s[C].axis(0), ki});
  s[C].tensorize(s[C].axis(0), dot_of_bytes());
  example.show("an instruction", s, {A, B, C});
  const Function function = build(s, {A, B, C}, Target::host(), "dot");
  const std::vector<std::uint8_t> a(12, 200);
  const std::vector<std::int8_t> b(192, -3);
  std::vector<std::int32_t> c(16);
  function(ArrayView(a.data(), kUInt8, {12}), ArrayView(b.data(), kInt8, {3, 16, 4}),
           ArrayView(c.data(), kInt32, {16}));
  example.check("an instruction", c == std::vector<std::int32_t>(16, -7200));
}

void show_all(Example& example) {
  show_reducer(example);
  show_options(example);
  show_scan(example);
  show_prepare(example);
  show_instruction(example);
}

}  // namespace

int main(int argc, char** argv) { return main_of(argc, argv, show_all); }
