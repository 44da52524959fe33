// The programs to mutate, in loop form and in vector form. Their schedules use tails of every kind, blocked reductions,
// packed caches, stages inside others, padding, parallel loops and vector lanes.
#include "nestwright/lower.h"
#include "nestwright/reduction.h"
#include "nestwright/schedule.h"
#include "tests/property/mutations/mutation.h"

namespace nestwright::property {
namespace {

struct Matmul {
  Tensor a = placeholder({13, 10}, kFloat32, "A"), b = placeholder({10, 19}, kFloat32, "B");
  IterVar k = reduce_axis(10, "k");
  Tensor c = compute({13, 19}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
};

void add(std::vector<Subject>& to, const std::string& name, const Schedule& s, const std::vector<Tensor>& arguments) {
  const Target target = Target::parse("cpu,isa=avx512,threads=2");
  const ir::Program loop_form = lower(s, arguments, target, name);
  to.push_back({name, loop_form, ir::Form::kLoop});
  to.push_back({name + "_vectors", expand(loop_form, target), ir::Form::kVector});
}

/// Guarded tiles, with each row of tiles on a thread.
void guarded(std::vector<Subject>& to) {
  const Matmul m;
  Schedule s = create_schedule(m.c);
  const auto [io, jo, ii, ji] = s[m.c].tile(s[m.c].axis(0), s[m.c].axis(1), 4, 8);
  s[m.c].parallel(io);
  add(to, "guarded", s, {m.a, m.b, m.c});
}

/// A blocked reduction with accumulators in a register tile, and a packed B.
void blocked(std::vector<Subject>& to) {
  const Matmul m;
  Schedule s = create_schedule(m.c);
  const Tensor packed = s.cache_read(m.b, ir::Scope::kGlobal, {m.c});
  const auto layout = s.transform_layout(
      packed, [](std::span<const Expr> x) { return std::vector<Expr>{x[1] / Expr(8), x[0], x[1] % Expr(8)}; });
  const auto [io, ii] = s[m.c].split(s[m.c].axis(0), factor(2), Tail::partition());
  const auto [jo, ji] = s[m.c].split(s[m.c].axis(1), factor(8), Tail::predicate());
  const auto [ko, ki] = s[m.c].split(m.k, factor(5), Tail::partition());
  s[m.c].reorder({ko, io, jo, ki, ii, ji});
  const Tensor tile = s.cache_write(m.c, ir::Scope::kRegister, ko);
  s[tile].compute_at(s[m.c], jo);
  s[m.c].vectorize(ji).unroll(ii);
  s[tile].vectorize(s[tile].axis(1)).unroll(s[tile].axis(0));
  s[tile].reorder({ki, s[tile].axis(0), s[tile].axis(1)});
  s[packed].vectorize(layout[2]).parallel(layout[0]);
  add(to, "blocked", s, {m.a, m.b, m.c});
}

/// Normalised rows: a maximum and a sum inside the loop of their consumer.
void rows(std::vector<Subject>& to) {
  const Tensor x = placeholder({7, 9}, kFloat32, "X");
  const IterVar r = reduce_axis(9, "r"), q = reduce_axis(9, "q");
  const Tensor top = compute({7}, [&](Expr i) { return max(x(i, r) - Expr(9.0), r); }, "top");
  const Tensor low = compute({7, 9}, [&](Expr i, Expr j) { return top(i) - x(i, j); }, "low");
  const Tensor all = compute({7}, [&](Expr i) { return sum(low(i, q), q); }, "all");
  const Tensor y = compute({7, 9}, [&](Expr i, Expr j) { return low(i, j) * Expr(16.0) + all(i); }, "Y");
  Schedule s = create_schedule(y);
  const IterVar i = s[y].axis(0);
  for (const Tensor& t : {top, low, all}) s[t].compute_at(s[y], i);
  const auto [jo, ji] = s[y].split(s[y].axis(1), factor(4), Tail::predicate());
  s[y].vectorize(ji).parallel(i);
  add(to, "rows", s, {x, y});
}

/// A padded window with a staged input; a split in segments, one of them unrolled.
void window(std::vector<Subject>& to) {
  const Tensor x = placeholder({11, 6}, kFloat32, "X");
  const Tensor padded = compute(
      {13, 6}, [&](Expr i, Expr j) { return select(i >= Expr(1) && i < Expr(12), x(i - 1, j), Expr(0.0)); }, "padded");
  const IterVar r = reduce_axis(3, "r");
  const Tensor y = compute({11, 6}, [&](Expr i, Expr j) { return sum(padded(i + r, j), r); }, "Y");
  Schedule s = create_schedule(y);
  const auto [io, ii] = s[y].split(s[y].axis(0), SplitSize{{4, 3}, 0}, Tail::compose({4, 3}));
  s[padded].compute_at(s[y], io);
  s[y].unroll(r);
  s[padded].fuse(s[padded].axis(0), s[padded].axis(1));
  add(to, "window", s, {x, y});
}

/// Two stages stored as wholes, read across rows.
void staged(std::vector<Subject>& to) {
  const Tensor x = placeholder({6, 6}, kFloat32, "X");
  const Tensor a = compute({6, 6}, [&](Expr i, Expr j) { return x(j, i) + Expr(2.0); }, "a");
  const Tensor b = compute({6, 6}, [&](Expr i, Expr j) { return a(i, Expr(5) - j) * x(i, j); }, "b");
  const Tensor y = compute({6, 6}, [&](Expr i, Expr j) { return select(i <= j, b(j, i), a(i, j)); }, "Y");
  Schedule s = create_schedule(y);
  const IterVar both = s[a].fuse(s[a].axis(0), s[a].axis(1));
  s[a].parallel(both);
  s[b].parallel(s[b].axis(0));
  s[y].vectorize(s[y].axis(1));
  s[y].split(s[y].axis(0), factor(4));
  add(to, "staged", s, {x, y});
}

/// For a device: blocks of threads load tiles of both operands together, for one block of the reduction at a time, into
/// `stages` buffers (1: not ahead).
void add_shared(std::vector<Subject>& to, const std::string& name, std::int64_t depth, std::int64_t stages) {
  const Tensor a = placeholder({8, depth}, kFloat32, "A"), b = placeholder({depth, 12}, kFloat32, "B");
  const IterVar k = reduce_axis(depth, "k");
  const Tensor c = compute({8, 12}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  Schedule s = create_schedule(c);
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal);
  const auto [by, bx, ty, tx] = s[c].tile(s[c].axis(0), s[c].axis(1), 4, 4);
  s[c].bind(by, kBlockIdxY).bind(bx, kBlockIdxX).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX);
  s[tile].compute_at(s[c], tx);
  const auto [ko, ki] = s[tile].split(s[tile].reduce_axis(0), factor(5));
  s[tile].reorder({ko, ki});
  for (const Tensor& operand : {a, b}) {
    const Tensor cache = s.cache_read(operand, ir::Scope::kShared, {tile});
    s[cache].compute_at(s[tile], ko);
    if (stages > 1) s[cache].double_buffer(stages);
    const auto [yo, yt] = s[cache].split(s[cache].axis(0), factor(4));
    const auto [xo, xt] = s[cache].split(s[cache].axis(1), factor(4));
    s[cache].reorder({yo, xo, yt, xt});
    s[cache].bind(yt, kThreadIdxY).bind(xt, kThreadIdxX);
  }
  to.push_back({name, lower(s, {a, b, c}, Target::parse("cuda"), name), ir::Form::kLoop});
}
void shared(std::vector<Subject>& to) { add_shared(to, "shared", 10, 1); }
void stages(std::vector<Subject>& to) { add_shared(to, "stages", 30, 3); }

}  // namespace

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (auto* make : {guarded, blocked, rows, window, staged, shared, stages}) make(all);
  return all;
}

}  // namespace nestwright::property
