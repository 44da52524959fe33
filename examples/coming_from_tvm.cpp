// The calls at the right of the table "Coming from TVM" (docs/tutorial.md).
#include <cstdio>

#include <nestwright/nestwright.h>

using namespace nestwright;

namespace {

/// C = A B, 64 x 48, with a reduction over 32.
struct Product {
  Tensor A = placeholder({64, 32}, kFloat32, "A"), B = placeholder({32, 48}, kFloat32, "B");
  IterVar k = reduce_axis(32, "k");
  Tensor C = compute({64, 48}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
  Schedule s = create_schedule(C);
};

/// B = A + 1, C = B * 2: two stages.
struct Chain {
  Tensor A = placeholder({64, 48}, kFloat32, "A");
  Tensor B = compute({64, 48}, [&](Expr i, Expr j) { return A(i, j) + 1.0; }, "B");
  Tensor C = compute({64, 48}, [&](Expr i, Expr j) { return B(i, j) * 2.0; }, "C");
  Schedule s = create_schedule(C);
};

void make_tensors() {
  const int m = 64, n = 48, k = 32;
  const Tensor A = placeholder({m, k}, kFloat32, "A");
  const Tensor C = compute({m, n}, [&](Expr i, Expr j) { return A(i, 0) + cast(kFloat32, j); }, "C");
  const Var rows = var("n");
  const Tensor X = placeholder({rows, n}, kFloat32, "X");
  const Tensor chosen = compute(
      {rows, n},
      [&](Expr i, Expr j) {
        const Expr c = i < j, a = X(i, j), b = -X(i, j);
        return select(c, a, b);
      },
      "chosen");
}

void make_reductions() {
  const Tensor A = placeholder({64, 32}, kFloat32, "A"), B = placeholder({64}, kFloat32, "B");
  const IterVar k = reduce_axis(32, "k");
  const Tensor total = compute(
      {64},
      [&](Expr i) {
        const Expr x = A(i, k);
        return sum(x, k);
      },
      "total");
  const Tensor largest = compute(
      {64},
      [&](Expr i) {
        const Expr x = A(i, k);
        return max(x, k);
      },
      "largest");
  const Tensor below = compute(
      {64},
      [&](Expr i) {
        const Expr x = A(i, k), c = k <= i, v = B(i);
        return sum(x, k, {.where = c, .init = v});
      },
      "below");
  const std::string name = "argmax";
  const std::vector<Expr> identities = {Expr(-1), min_value(kFloat32)};
  const auto combine = [](std::span<const Expr> a, std::span<const Expr> b) {
    return std::vector<Expr>{select(a[1] >= b[1], a[0], b[0]), max(a[1], b[1])};
  };
  const Reducer argmax = Reducer(name, identities, combine);
  compute_tuple({64}, [&](std::span<const Expr> i) { return argmax({k, A(i[0], k)}, {k}); }, "best");
}

void make_scan() {
  const Tensor X = placeholder({64, 48}, kFloat32, "X"), state = placeholder({64, 48}, kFloat32, "state");
  const Tensor init = compute({1, 48}, [&](Expr, Expr i) { return X(0, i); }, "init");
  const Tensor update = compute({64, 48}, [&](Expr t, Expr i) { return state(t - 1, i) + X(t, i); }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  create_schedule(Y);
}

void change_loops() {
  const auto changed = [](const auto& change) {
    Product p;
    change(p.s, p.C, p.s[p.C].axis(0), p.s[p.C].axis(1));
  };
  using S = Schedule&;
  using T = const Tensor&;
  using I = const IterVar&;
  changed([](S s, T C, I, I) { s[C].reorder({s[C].axis(0), s[C].reduce_axis(0)}); });
  changed([](S s, T C, I i, I j) {
    s[C].split(i, factor(32));
    s[C].split(j, nparts(4));
  });
  changed([](S s, T C, I i, I j) { s[C].tile(i, j, 8, 8); });
  changed([](S s, T C, I i, I j) { s[C].fuse(i, j); });
  changed([](S s, T C, I i, I j) { s[C].reorder({j, i}); });
  changed([](S s, T C, I i, I) { s[C].unroll(i); });
  changed([](S s, T C, I, I j) { s[C].vectorize(j); });
  changed([](S s, T C, I i, I) { s[C].parallel(i); });
  changed([](S s, T C, I i, I) { s[C].bind(i, kBlockIdxX); });
  changed([](S s, T C, I i, I) { s[C].bind(i, kVThread); });
  changed([](S s, T C, I i, I) { s[C].pragma(i, "auto_unroll", 16); });
  changed([](S s, T C, I, I) { s.cache_write(C, kLocal); });
  changed([](S s, T C, I, I) {
    const auto [ko, ki] = s[C].split(s[C].reduce_axis(0), factor(8));
    s.rfactor(C, ki);
  });
}

void place_stages() {
  {
    auto [A, B, C, s] = Chain();
    const IterVar i = s[C].axis(0);
    s[B].compute_at(s[C], i);
    s[B].compute_root();
    s[B].compute_inline();
  }
  {
    auto [A, B, C, s] = Chain();
    const IterVar i = s[B].axis(0);
    s[B].set_scope(kShared);
    s[B].storage_align(i, 32, 8);
    s[B].compute_at(s[C], s[C].axis(0));
    s[B].double_buffer();
  }
  {
    auto [A, B, k, C, s] = Product();
    const IterVar i = s[C].axis(0);
    s[C].prefetch(A, i, 1);
  }
  {
    auto [A, B, k, C, s] = Product();
    s.cache_read(A, kShared, {C});
  }
}

void replace_loops_by_an_intrinsic() {
  const Tensor A = placeholder({5, 24}, kUInt8, "A"), B = placeholder({6, 32, 4}, kInt8, "B");
  const IterVar ko = reduce_axis(6, "ko"), ki = reduce_axis(4, "ki");
  const Tensor C = compute(
      {5, 32},
      [&](Expr i, Expr j) { return sum(cast(kInt32, A(i, ko * 4 + ki)) * cast(kInt32, B(ko, j, ki)), {ko, ki}); }, "C");
  Schedule s = create_schedule(C);
  const auto [outer, i] = s[C].split(s[C].axis(1), factor(16));
  s[C].reorder({s[C].axis(0), outer, ko, i, ki});
  const TensorIntrinsic intrinsic = dot_u8s8_16x4();
  s[C].tensorize(i, intrinsic);
}

Schedule schedule(Tuning& t, const Workload& workload, Definition& definition, const Target&) {
  const std::int64_t extent = workload.size("m");
  const Tensor C = definition.args[2];
  Schedule s = create_schedule(C);
  const PartsKnob tile = t.define_split("tile_y", extent, {.parts = 4});
  s[C].split(s[C].axis(0), factor(tile[3]));
  const KnobExpr unroll = t.define_knob("unroll", {0, 512});
  if (unroll != 0) s[C].pragma(s[C].axis(1), "auto_unroll", unroll);
  t.require(tile[2] * tile[3] <= 64, "a tile has more than 64 rows");
  if (t.choose("parallel", {"rows", "none"}) == "rows") s[C].parallel(s[C].loops().front());
  return s;
}

}  // namespace

int main() try {
  make_tensors();
  make_reductions();
  make_scan();
  change_loops();
  place_stages();
  replace_loops_by_an_intrinsic();
  Registry registry = builtin_registry();
  registry.add("matmul", Template{.name = "matmul.own", .schedule = schedule});

  auto [A, B, k, C, s] = Product();
  const Target target = Target::host();
  look_up(Task{registry.parse_workload("matmul m=64 n=48 k=32"), target}, nullptr, "matmul.own");
  std::puts(to_string(lower(s, {A, B, C}, target, "name")).c_str());
  const Function product = build(s, {A, B, C}, Target::host(), "name");
} catch (const Error& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
