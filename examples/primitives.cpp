// Each primitive in turn: the loops before and after it. docs/language.md shows these calls and loops.
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
};

/// B = A * 2 over two axes.
struct Matrix {
  Matrix(int rows, int columns)
      : A(placeholder({rows, columns}, kFloat32, "A")),
        B(compute({rows, columns}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B")) {}
  Tensor A, B;
  Schedule s = create_schedule(B);
};

/// B = A + 1, C = B * 2: two stages.
struct Chain {
  Tensor A = placeholder({128}, kFloat32, "A");
  Tensor B = compute({128}, [&](Expr i) { return A(i) + 1.0; }, "B");
  Tensor C = compute({128}, [&](Expr i) { return B(i) * 2.0; }, "C");
  Schedule s = create_schedule(C);
};

/// C = A B, 8 x 32, with a reduction over 12.
struct Product {
  Tensor A = placeholder({8, 12}, kFloat32, "A"), B = placeholder({12, 32}, kFloat32, "B");
  IterVar k = reduce_axis(12, "k");
  Tensor C = compute({8, 32}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
  Schedule s = create_schedule(C);
};

void loops(Example& example) {
  {
    auto [A, B, s] = Vector(35);
    example.show("split of 35 by 32, before", s, {A, B});
    s[B].split(s[B].axis(0), factor(32));
    example.show("split of 35 by 32, after", s, {A, B});
  }

  {
    auto [A, B, s] = Vector(10);
    example.show("split of 10 by 32, before", s, {A, B});
    s[B].split(s[B].axis(0), factor(32));
    example.show("split of 10 by 32, after", s, {A, B});
  }

  {
    auto [A, B, s] = Vector(35);
    example.show("split of 35 into 4 parts, before", s, {A, B});
    s[B].split(s[B].axis(0), nparts(4));
    example.show("split of 35 into 4 parts, after", s, {A, B});
  }

  {
    auto [A, B, s] = Matrix(32, 30);
    example.show("tile of 10 by 5, before", s, {A, B});
    s[B].tile(s[B].axis(0), s[B].axis(1), 10, 5);
    example.show("tile of 10 by 5, after", s, {A, B});
  }

  {
    auto [A, B, s] = Matrix(32, 30);
    example.show("fuse, before", s, {A, B});
    s[B].fuse(s[B].axis(0), s[B].axis(1));
    example.show("fuse, after", s, {A, B});
  }

  {
    auto [A, B, s] = Matrix(32, 30);
    example.show("reorder, before", s, {A, B});
    s[B].reorder({s[B].axis(1), s[B].axis(0)});
    example.show("reorder, after", s, {A, B});
  }
}

void tails(Example& example) {
  {
    auto [A, B, s] = Vector(35);
    example.show("split of 35 by 16, tail partition, before", s, {A, B});
    s[B].split(s[B].axis(0), factor(16), Tail::partition());
    example.show("split of 35 by 16, tail partition, after", s, {A, B});
  }

  {
    auto [A, B, s] = Vector(35);
    example.show("split of 35 by 16, tail predicate, vectorized, before", s, {A, B});
    auto [outer, inner] = s[B].split(s[B].axis(0), factor(16), Tail::predicate());
    s[B].vectorize(inner);
    example.show("split of 35 by 16, tail predicate, vectorized, after", s, {A, B});
  }

  {
    auto [A, B, s] = Vector(38);
    example.show("split of 38, composed of 14 and 12, before", s, {A, B});
    s[B].split(s[B].axis(0), factor(14), Tail::compose({14, 12}));
    example.show("split of 38, composed of 14 and 12, after", s, {A, B});
  }
}

/// B = A * 2 over one axis of symbolic extent.
struct SymbolicVector {
  Var n = var("n");
  Tensor A = placeholder({n}, kFloat32, "A");
  Tensor B = compute({n}, [&](Expr i) { return A(i) * 2.0; }, "B");
  Schedule s = create_schedule(B);
};

void kinds(Example& example) {
  {
    auto [A, B, s] = Matrix(32, 16);
    example.show("vectorize, before", s, {A, B});
    s[B].vectorize(s[B].axis(1));
    example.show("vectorize, after", s, {A, B});
  }

  {
    auto [A, B, s] = Matrix(32, 4);
    example.show("unroll, before", s, {A, B});
    s[B].unroll(s[B].axis(1));
    example.show("unroll, after", s, {A, B});
  }

  {
    auto [A, B, s] = Matrix(32, 30);
    example.show("parallel, before", s, {A, B});
    s[B].parallel(s[B].axis(0));
    example.show("parallel, after", s, {A, B});
  }

  {
    auto [A, B, s] = Matrix(32, 4);
    example.show("pragma auto_unroll, before", s, {A, B});
    s[B].pragma(s[B].axis(0), "auto_unroll", 8);
    example.show("pragma auto_unroll, after", s, {A, B});
  }

  {
    Target gpu;
    gpu.device = DeviceKind::kCuda;
    auto [n, A, B, s] = SymbolicVector();
    example.show("bind, before", s, {A, B});
    auto [block, thread] = s[B].split(s[B].axis(0), factor(256));
    s[B].bind(block, kBlockIdxX).bind(thread, kThreadIdxX);
    example.show("bind, after", s, {A, B}, gpu);
  }
}

void places(Example& example) {
  {
    auto [A, B, C, s] = Chain();
    example.show("compute_at, before", s, {A, C});
    s[B].compute_at(s[C], s[C].axis(0));
    example.show("compute_at, after", s, {A, C});
  }

  {
    Tensor A = placeholder({16, 32}, kFloat32, "A");
    Tensor B = compute({16, 32}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
    Tensor C = compute({16, 32}, [&](Expr i, Expr j) { return B(i, j) + 1.0; }, "C");
    Schedule s = create_schedule(C);
    auto [outer, inner] = s[C].split(s[C].fuse(s[C].axis(0), s[C].axis(1)), factor(8));
    s[B].compute_at(s[C], outer);
    example.show("compute_at a part of a fused loop", s, {A, C});
  }

  {
    auto [A, B, C, s] = Chain();
    example.show("compute_inline, before", s, {A, C});
    s[B].compute_inline();
    example.show("compute_inline, after", s, {A, C});
  }

  {
    auto [A, B, C, s] = Chain();
    example.show("compute_root, of a stage that was computed at a loop, before", s, {A, C});
    s[B].compute_at(s[C], s[C].axis(0));
    s[B].compute_root();
    example.show("compute_root, of a stage that was computed at a loop, after", s, {A, C});
  }

  {
    auto [A, B, C, s] = Chain();
    example.show("prepare, before", s, {A, C});
    s[B].prepare();
    example.show("prepare, after", s, {A, C});
  }
}

void copies(Example& example) {
  {
    auto [A, B, k, C, s] = Product();
    example.show("cache_read, before", s, {A, B, C});
    Tensor copy = s.cache_read(B, kGlobal, {C});
    s[copy].compute_at(s[C], s[C].axis(0));
    example.show("cache_read, after", s, {A, B, C});
  }

  {
    auto [A, B, k, C, s] = Product();
    example.show("transform_layout, before", s, {A, B, C});
    Tensor packed = s.cache_read(B, kGlobal, {C});
    std::vector<IterVar> loops = s.transform_layout(
        packed, [](std::span<const Expr> x) { return std::vector<Expr>{x[1] / 16, x[0], x[1] % 16}; });
    s[packed].vectorize(loops[2]);
    example.show("transform_layout, after", s, {A, B, C});
  }

  {
    auto [A, B, k, C, s] = Product();
    example.show("cache_write, before", s, {A, B, C});
    Tensor tile = s.cache_write(C, kLocal);
    auto [part, row] = s[C].split(s[C].axis(0), factor(4));
    s[tile].compute_at(s[C], part);
    example.show("cache_write, after", s, {A, B, C});
  }

  {
    auto [A, B, k, C, s] = Product();
    example.show("cache_write below a loop, before", s, {A, B, C});
    auto [ko, ki] = s[C].split(k, factor(4));
    s[C].reorder({ko, s[C].axis(0), s[C].axis(1)});
    Tensor tile = s.cache_write(C, kLocal, ko);
    s[tile].compute_at(s[C], s[C].axis(0));
    example.show("cache_write below a loop, after", s, {A, B, C});
  }

  {
    auto [A, B, k, C, s] = Product();
    example.show("set_scope and storage_align, before", s, {A, B, C});
    Tensor copy = s.cache_read(B, kGlobal, {C});
    s[copy].compute_at(s[C], s[C].axis(0));
    s[copy].set_scope(kLocal).storage_align(s[copy].axis(0), 32, 8);
    example.show("set_scope and storage_align, after", s, {A, B, C});
  }
}

void accesses(Example& example) {
  {
    auto [A, B, k, C, s] = Product();
    Tensor rows = s.cache_read(A, kLocal, {C});
    s[rows].compute_at(s[C], s[C].axis(0));
    example.show("double_buffer, before", s, {A, B, C});
    s[rows].double_buffer();
    example.show("double_buffer, after", s, {A, B, C});
  }

  {
    auto [A, B, k, C, s] = Product();
    Tensor rows = s.cache_read(A, kLocal, {C});
    s[rows].compute_at(s[C], s[C].axis(0));
    s[rows].double_buffer(3);
    example.show("double_buffer in 3 stages", s, {A, B, C});
  }

  {
    auto [A, B, s] = Matrix(32, 30);
    example.show("stream, before", s, {A, B});
    s[B].stream();
    example.show("stream, after", s, {A, B});
  }

  {
    auto [A, B, k, C, s] = Product();
    example.show("prefetch, before", s, {A, B, C});
    s[C].prefetch(A, s[C].axis(0), 2);
    example.show("prefetch, after", s, {A, B, C});
  }
}

void reductions(Example& example) {
  {
    auto [A, B, k, C, s] = Product();
    example.show("rfactor, before", s, {A, B, C});
    auto [ko, ki] = s[C].split(k, factor(4));
    Tensor partial = s.rfactor(C, ki);
    example.show("rfactor, after", s, {A, B, C});
  }

  {
    Target gpu;
    gpu.device = DeviceKind::kCuda;
    Tensor A = placeholder({6, 32}, kFloat32, "A");
    IterVar k = reduce_axis(32, "k");
    Tensor B = compute({6}, [&](Expr i) { return sum(A(i, k), k); }, "B");
    Schedule s = create_schedule(B);
    auto [ko, ki] = s[B].split(k, factor(8));
    s[B].bind(s[B].axis(0), kBlockIdxX).bind(ki, kThreadIdxX);
    example.show("bind of a loop of a reduction", s, {A, B}, gpu);
  }
}

/// C = A B of bytes, 8 x 32, with a reduction over 12. B is packed in groups of four along it, as the instruction reads
/// them.
void instructions(Example& example) {
  Tensor A = placeholder({8, 12}, kUInt8, "A"), B = placeholder({3, 32, 4}, kInt8, "B");
  IterVar ko = reduce_axis(3, "ko"), ki = reduce_axis(4, "ki");
  Tensor C = compute(
      {8, 32},
      [&](Expr i, Expr j) { return sum(cast(kInt32, A(i, ko * 4 + ki)) * cast(kInt32, B(ko, j, ki)), {ko, ki}); }, "C");
  Schedule s = create_schedule(C);
  auto [jo, ji] = s[C].split(s[C].axis(1), factor(16));
  s[C].reorder({s[C].axis(0), jo, ko, ji, ki});
  example.show("tensorize, before", s, {A, B, C});
  s[C].tensorize(ji, dot_u8s8_16x4());
  example.show("tensorize, after", s, {A, B, C});
}

void show_all(Example& example) {
  loops(example);
  tails(example);
  kinds(example);
  places(example);
  copies(example);
  accesses(example);
  reductions(example);
  instructions(example);
}

}  // namespace

int main(int argc, char** argv) { return main_of(argc, argv, show_all); }
