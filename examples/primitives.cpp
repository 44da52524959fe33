// Each primitive in turn: the loops before and after it.
#include <tuple>

#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

/// B = A * 2 over one axis.
struct Vector {
  explicit Vector(int length)
      : A(placeholder({length}, kFloat32, "A")), B(compute({length}, [&](Expr i) { return A(i) * 2.0; }, "B")) {}
  Tensor A, B;
  Schedule s = create_schedule(B);
  Args args() const { return {A, B}; }
};

/// B = A * 2 over two axes.
struct Matrix {
  Matrix(int rows, int columns)
      : A(placeholder({rows, columns}, kFloat32, "A")),
        B(compute({rows, columns}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B")) {}
  Tensor A, B;
  Schedule s = create_schedule(B);
  Args args() const { return {A, B}; }
};

/// B = A + 1, C = B * 2: two stages.
struct Chain {
  Tensor A = placeholder({128}, kFloat32, "A");
  Tensor B = compute({128}, [&](Expr i) { return A(i) + 1.0; }, "B");
  Tensor C = compute({128}, [&](Expr i) { return B(i) * 2.0; }, "C");
  Schedule s = create_schedule(C);
  Args args() const { return {A, C}; }
};

template <class Op>
void before_and_after(Example& example, const std::string& title, Op op, const std::function<void(Op&)>& apply) {
  example.show(title + ", before", op.s, op.args());
  apply(op);
  example.show(title + ", after", op.s, op.args());
}

void loops(Example& example) {
  const auto split_by_32 = [](Vector& v) { v.s[v.B].split(v.s[v.B].axis(0), factor(32)); };
  before_and_after<Vector>(example, "split of 35 by 32", Vector(35), split_by_32);
  before_and_after<Vector>(example, "split of 10 by 32", Vector(10), split_by_32);
  before_and_after<Vector>(example, "split of 35 into 4 parts", Vector(35),
                           [](Vector& v) { v.s[v.B].split(v.s[v.B].axis(0), nparts(4)); });
  before_and_after<Matrix>(example, "tile of 10 by 5", Matrix(32, 30),
                           [](Matrix& m) { m.s[m.B].tile(m.s[m.B].axis(0), m.s[m.B].axis(1), 10, 5); });
  before_and_after<Matrix>(example, "fuse", Matrix(32, 30),
                           [](Matrix& m) { m.s[m.B].fuse(m.s[m.B].axis(0), m.s[m.B].axis(1)); });
  before_and_after<Matrix>(example, "reorder", Matrix(32, 30),
                           [](Matrix& m) { m.s[m.B].reorder({m.s[m.B].axis(1), m.s[m.B].axis(0)}); });
}

void tails(Example& example) {
  const auto split_with = [](const Tail& tail, bool vectorize) {
    return [=](Vector& v) {
      const auto [outer, inner] = v.s[v.B].split(v.s[v.B].axis(0), factor(16), tail);
      if (vectorize) v.s[v.B].vectorize(inner);
    };
  };
  before_and_after<Vector>(example, "split of 35 by 16, tail partition", Vector(35),
                           split_with(Tail::partition(), false));
  before_and_after<Vector>(example, "split of 35 by 16, tail predicate, vectorized", Vector(35),
                           split_with(Tail::predicate(), true));
  before_and_after<Vector>(example, "split of 38, composed of 14 and 12", Vector(38),
                           [](Vector& v) { v.s[v.B].split(v.s[v.B].axis(0), factor(14), Tail::compose({14, 12})); });
}

void kinds(Example& example) {
  before_and_after<Matrix>(example, "vectorize", Matrix(32, 16),
                           [](Matrix& m) { m.s[m.B].vectorize(m.s[m.B].axis(1)); });
  before_and_after<Matrix>(example, "unroll", Matrix(32, 4), [](Matrix& m) { m.s[m.B].unroll(m.s[m.B].axis(1)); });
  before_and_after<Matrix>(example, "parallel", Matrix(32, 30), [](Matrix& m) { m.s[m.B].parallel(m.s[m.B].axis(0)); });
  before_and_after<Matrix>(example, "pragma auto_unroll", Matrix(32, 4),
                           [](Matrix& m) { m.s[m.B].pragma(m.s[m.B].axis(0), "auto_unroll", 8); });

  Target gpu;
  gpu.device = DeviceKind::kCuda;
  const Var n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A");
  const Tensor B = compute({n}, [&](Expr i) { return A(i) * 2.0; }, "B");
  Schedule s = create_schedule(B);
  example.show("bind, before", s, {A, B});
  const auto [block, thread] = s[B].split(s[B].axis(0), factor(256));
  s[B].bind(block, kBlockIdxX).bind(thread, kThreadIdxX);
  example.show("bind, after", s, {A, B}, gpu);
}

void places(Example& example) {
  before_and_after<Chain>(example, "compute_at", Chain(),
                          [](Chain& c) { c.s[c.B].compute_at(c.s[c.C], c.s[c.C].axis(0)); });
  const Tensor A = placeholder({16, 32}, kFloat32, "A");
  const Tensor B = compute({16, 32}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
  const Tensor C = compute({16, 32}, [&](Expr i, Expr j) { return B(i, j) + 1.0; }, "C");
  Schedule s = create_schedule(C);
  const auto [outer, inner] = s[C].split(s[C].fuse(s[C].axis(0), s[C].axis(1)), factor(8));
  s[B].compute_at(s[C], outer);
  example.show("compute_at a part of a fused loop", s, {A, C});
  before_and_after<Chain>(example, "compute_inline", Chain(), [](Chain& c) { c.s[c.B].compute_inline(); });
  before_and_after<Chain>(example, "compute_root, of a stage that was computed at a loop", Chain(), [](Chain& c) {
    c.s[c.B].compute_at(c.s[c.C], c.s[c.C].axis(0));
    c.s[c.B].compute_root();
  });
  before_and_after<Chain>(example, "prepare", Chain(), [](Chain& c) { c.s[c.B].prepare(); });
}

/// C = A B, 8 x 32, with a reduction over 12.
struct Product {
  Tensor A = placeholder({8, 12}, kFloat32, "A"), B = placeholder({12, 32}, kFloat32, "B");
  IterVar k = reduce_axis(12, "k");
  Tensor C = compute({8, 32}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
  Schedule s = create_schedule(C);
  Args args() const { return {A, B, C}; }
};

void data(Example& example) {
  before_and_after<Product>(example, "cache_read", Product(), [](Product& p) {
    const Tensor copy = p.s.cache_read(p.B, ir::Scope::kGlobal, {p.C});
    p.s[copy].compute_at(p.s[p.C], p.s[p.C].axis(0));
  });
  before_and_after<Product>(example, "transform_layout", Product(), [](Product& p) {
    const Tensor packed = p.s.cache_read(p.B, ir::Scope::kGlobal, {p.C});
    p.s.transform_layout(packed, [](std::span<const Expr> x) { return std::vector<Expr>{x[1] / 16, x[0], x[1] % 16}; });
  });
  before_and_after<Product>(example, "cache_write", Product(), [](Product& p) {
    const Tensor tile = p.s.cache_write(p.C, ir::Scope::kLocal);
    const auto [part, row] = p.s[p.C].split(p.s[p.C].axis(0), factor(4));
    p.s[tile].compute_at(p.s[p.C], part);
  });
  before_and_after<Product>(example, "cache_write below a loop", Product(), [](Product& p) {
    const auto [ko, ki] = p.s[p.C].split(p.k, factor(4));
    p.s[p.C].reorder({ko, p.s[p.C].axis(0), p.s[p.C].axis(1)});
    const Tensor tile = p.s.cache_write(p.C, ir::Scope::kLocal, ko);
    p.s[tile].compute_at(p.s[p.C], p.s[p.C].axis(0));
  });
  before_and_after<Product>(example, "set_scope and storage_align", Product(), [](Product& p) {
    const Tensor copy = p.s.cache_read(p.B, ir::Scope::kGlobal, {p.C});
    p.s[copy].compute_at(p.s[p.C], p.s[p.C].axis(0));
    p.s[copy].set_scope(ir::Scope::kLocal).storage_align(p.s[copy].axis(0), 32, 8);
  });
  for (const std::int64_t stages : {2, 3}) {
    Product ahead;
    const Tensor rows = ahead.s.cache_read(ahead.A, ir::Scope::kLocal, {ahead.C});
    ahead.s[rows].compute_at(ahead.s[ahead.C], ahead.s[ahead.C].axis(0));
    if (stages == 2) example.show("double_buffer, before", ahead.s, ahead.args());
    ahead.s[rows].double_buffer(stages);
    example.show(stages == 2 ? "double_buffer, after" : "double_buffer in 3 stages", ahead.s, ahead.args());
  }
  before_and_after<Matrix>(example, "stream", Matrix(32, 30), [](Matrix& m) { m.s[m.B].stream(); });
  before_and_after<Product>(example, "prefetch", Product(),
                            [](Product& p) { p.s[p.C].prefetch(p.A, p.s[p.C].axis(0), 2); });
}

void reductions(Example& example) {
  before_and_after<Product>(example, "rfactor", Product(), [](Product& p) {
    const auto [ko, ki] = p.s[p.C].split(p.k, factor(4));
    p.s.rfactor(p.C, ki);
  });
  Target gpu;
  gpu.device = DeviceKind::kCuda;
  const Tensor A = placeholder({6, 32}, kFloat32, "A");
  const IterVar k = reduce_axis(32, "k");
  const Tensor B = compute({6}, [&](Expr i) { return sum(A(i, k), k); }, "B");
  Schedule s = create_schedule(B);
  const auto [ko, ki] = s[B].split(k, factor(8));
  s[B].bind(s[B].axis(0), kBlockIdxX).bind(ki, kThreadIdxX);
  example.show("bind of a loop of a reduction", s, {A, B}, gpu);
}

/// C = A B of bytes, 8 x 32, with a reduction over 12. B is packed in groups of four along it, as the instruction reads
/// them.
struct ByteProduct {
  Tensor A = placeholder({8, 12}, kUInt8, "A"), B = placeholder({3, 32, 4}, kInt8, "B");
  IterVar ko = reduce_axis(3, "ko"), ki = reduce_axis(4, "ki");
  Tensor C = compute(
      {8, 32},
      [&](Expr i, Expr j) { return sum(cast(kInt32, A(i, ko * 4 + ki)) * cast(kInt32, B(ko, j, ki)), {ko, ki}); }, "C");
  Schedule s = create_schedule(C);
  IterVar ji;
  ByteProduct() {
    IterVar jo;
    std::tie(jo, ji) = s[C].split(s[C].axis(1), factor(16));
    s[C].reorder({s[C].axis(0), jo, ko, ji, ki});
  }
  Args args() const { return {A, B, C}; }
};

void instructions(Example& example) {
  before_and_after<ByteProduct>(example, "tensorize", ByteProduct(),
                                [](ByteProduct& p) { p.s[p.C].tensorize(p.ji, dot_u8s8_16x4()); });
}

void show_all(Example& example) {
  loops(example);
  tails(example);
  kinds(example);
  places(example);
  data(example);
  reductions(example);
  instructions(example);
}

}  // namespace

int main(int argc, char** argv) { return main_of(argc, argv, show_all); }
