#include "matmul_schedule.h"

#include <fmt/format.h>

#include <random>

namespace nestwright::testing {

std::string MatmulVariant::str() const {
  return fmt::format(
      "m={} n={} k={} tile={}x{} lanes={} blocks={}x{} block_k={} unroll_k={} tails={},{},{} block_tail={} "
      "pack_b={}@{} "
      "pack_a={} parallel={} n_outermost={} in_registers={} prefetch={}",
      m, n, k, tile_m, tile_n, lanes, block_m, block_n, block_k, unroll_k, tail_m.str(), tail_n.str(), tail_k.str(),
      block_tail.str(), pack_b, pack_b_at, pack_a, parallel, n_outermost, in_registers, prefetch);
}

Matmul make_matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  Matmul op;
  op.a = placeholder({m, k}, kFloat32, "A");
  op.b = placeholder({k, n}, kFloat32, "B");
  const IterVar r = reduce_axis(k, "k");
  op.c = compute({m, n}, [&](Expr i, Expr j) { return sum(op.a(i, r) * op.b(r, j), r); }, "C");
  return op;
}

Schedule schedule_matmul(const Matmul& op, const MatmulVariant& v) {
  const Tensor& C = op.c;
  Schedule s = create_schedule(C);

  // The register tile has the reduction, except for the loop over its blocks.
  IterVar ko, ki = s[C].reduce_axis(0);
  if (v.block_k > 0) std::tie(ko, ki) = s[C].split(ki, factor(v.block_k), v.tail_k);
  Tensor T = C;
  if (v.in_registers) {
    T = v.block_k > 0 ? s.cache_write(C, ir::Scope::kRegister, ko) : s.cache_write(C, ir::Scope::kRegister);
  }

  const auto [jt, jr] = s[C].split(s[C].axis(1), factor(v.tile_n), v.tail_n);
  const auto [it, ir] = s[C].split(s[C].axis(0), factor(v.tile_m), v.tail_m);
  const auto [i0, i1] = s[C].split(it, factor(v.block_m), v.block_tail);
  const auto [j0, j1] = s[C].split(jt, factor(v.block_n), v.block_tail);
  std::vector<IterVar> order = v.n_outermost ? std::vector{j0, i0} : std::vector{i0, j0};
  order.insert(order.end(), {j1, i1});
  if (!v.in_registers) order.push_back(ki);
  order.insert(order.end(), {ir, jr});
  // The loop over the blocks of the reduction lies inside the first block loop, or inside both.
  if (ko.defined()) order.insert(order.begin() + (v.n_outermost && !v.parallel ? 1 : 2), ko);
  s[C].reorder(order);
  IterVar a_loop = i0, b_loop = j0;
  if (v.parallel) {
    a_loop = b_loop = v.n_outermost ? s[C].fuse(j0, i0) : s[C].fuse(i0, j0);
    s[C].parallel(a_loop);
  } else if (!v.n_outermost) {
    a_loop = j0;
  }
  const bool k_is_inside_i = ko.defined() && (v.parallel || !v.n_outermost);
  if (k_is_inside_i) a_loop = ko;
  if (ko.defined() && v.pack_b_at == 2) b_loop = ko;

  const auto finish_row = [&](const Tensor& t, const IterVar& row) {
    const auto [vectors, lane] = s[t].split(row, factor(v.lanes));
    s[t].unroll(vectors);
    s[t].vectorize(lane);
    return std::pair{vectors, lane};
  };
  if (v.in_registers) {
    s[T].compute_at(s[C], i1);
    const std::vector<IterVar> loops = s[T].loops();
    const IterVar inner = loops.back();
    const auto [kq, ku] = s[T].split(inner, factor(v.unroll_k), Tail::partition());
    const auto [vectors, lane] = finish_row(T, loops[1]);
    s[T].reorder({kq, ku, loops[0], vectors, lane});
    s[T].unroll(ku);
    s[T].unroll(loops[0]);
    if (v.prefetch > 0 && !v.pack_b) s[T].prefetch(op.b, kq, v.prefetch);
    s[C].unroll(ir);
  }
  finish_row(C, jr);

  if (v.pack_b && v.tile_n > 1) {
    const Tensor P = s.cache_read(op.b, ir::Scope::kGlobal, {T});
    const std::int64_t width = v.tile_n;
    const std::vector<IterVar> loops = s.transform_layout(
        P, [&](std::span<const Expr> x) { return std::vector{x[1] / Expr(width), x[0], x[1] % Expr(width)}; });
    s[P].vectorize(loops[2]);
    if (v.pack_b_at == 0) {
      s[P].parallel(loops[0]);
    } else {
      s[P].compute_at(s[C], b_loop);
    }
  }
  if (v.pack_a && v.tile_m > 1) {
    const Tensor P = s.cache_read(op.a, ir::Scope::kGlobal, {T});
    const std::int64_t width = v.tile_m;
    s.transform_layout(
        P, [&](std::span<const Expr> x) { return std::vector{x[0] / Expr(width), x[1], x[0] % Expr(width)}; });
    s[P].compute_at(s[C], a_loop);
  }
  return s;
}

MatmulVariant random_variant(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::initializer_list<std::int64_t> values) {
    return *(values.begin() + random() % values.size());
  };
  const auto coin = [&] { return random() % 2 == 0; };
  MatmulVariant v;
  v.m = pick({1, 2, 7, 13, 16, 29, 31});
  v.n = pick({1, 3, 8, 17, 24, 31, 40});
  v.k = pick({1, 2, 5, 12, 19, 24});
  v.tile_m = pick({1, 2, 3, 5, 6, 14});
  v.lanes = pick({4, 8});
  v.tile_n = v.lanes * pick({1, 2, 3});
  v.block_m = pick({1, 2, 3, 8});
  v.block_n = pick({1, 2, 4});
  v.block_k = pick({0, 0, 4, 5, 8, 32});
  v.unroll_k = pick({1, 2, 3, 4});
  const std::vector<Tail> tails = {Tail::guard(), Tail::partition(), Tail::partition()};
  v.tail_m = tails[random() % tails.size()];
  v.tail_n = coin() ? Tail::predicate() : tails[random() % tails.size()];
  v.tail_k = tails[random() % tails.size()];
  v.block_tail = tails[random() % 2];
  v.pack_b = coin();
  v.pack_a = random() % 3 == 0;
  v.pack_b_at = static_cast<int>(pick({0, 1, 2}));
  v.parallel = coin();
  v.n_outermost = coin();
  v.in_registers = random() % 4 != 0;
  if (!v.in_registers && v.block_k == 0 && coin()) v.block_k = 4;
  if (coin()) v.prefetch = pick({1, 2});
  return v;
}

}  // namespace nestwright::testing
