// Handwritten loop forms of matrix products, like those of a schedule with cache_write, tiling, vectorising and
// unrolling. Thread rule: pure functions.
#pragma once

#include <string>

#include "nestwright/program.h"

namespace nestwright::testing {

/// C[m,n] = A[m,k] * B[k,n] with a register tile of tile_m x tile_n, unrolled by unroll_k along k; all tails are
/// guarded.
struct MatmulShape {
  std::int64_t m, n, k;
  std::int64_t tile_m, tile_n, unroll_k = 1;
  bool parallel = false;
  ir::Type type = kFloat32;
};

inline ir::Program matmul_program(const MatmulShape& s) {
  using namespace ir;
  const Buffer A("A", s.type, {Expr(s.m), Expr(s.k)}), B("B", s.type, {Expr(s.k), Expr(s.n)}),
      C("C", s.type, {Expr(s.m), Expr(s.n)});
  const Buffer acc("acc", s.type, {Expr(s.tile_m), Expr(s.tile_n)}, Scope::kRegister);
  const Var io("io"), jo("jo"), ko("ko"), ki("ki");
  const Expr zero = make_const(0, s.type);
  // Loops over the tile, with new variables for each use.
  const auto tile = [&](auto&& statement) {
    const Var i("i"), j("j");
    const Expr row = io * s.tile_m + i, column = jo * s.tile_n + j;
    Stmt body = statement(i, j, row, column);
    Expr inside = make_bool(true);
    if (s.m % s.tile_m != 0) inside = inside && likely(row < Expr(s.m));
    if (s.n % s.tile_n != 0) inside = inside && likely(column < Expr(s.n));
    if (!is_true(inside)) body = make_if(inside, body);
    return make_for(i, Expr(0), Expr(s.tile_m), LoopKind::kUnrolled,
                    make_for(j, Expr(0), Expr(s.tile_n), LoopKind::kVectorized, body));
  };
  const Stmt init = tile([&](Expr i, Expr j, Expr, Expr) { return make_store(acc, {i, j}, zero); });
  Stmt update = tile([&](Expr i, Expr j, Expr row, Expr column) {
    const Expr k = ko * s.unroll_k + ki;
    return make_store(acc, {i, j}, make_load(acc, {i, j}) + make_load(A, {row, k}) * make_load(B, {k, column}));
  });
  if (s.k % s.unroll_k != 0) update = make_if(likely(ko * s.unroll_k + ki < Expr(s.k)), update);
  update = make_for(ki, Expr(0), Expr(s.unroll_k), LoopKind::kUnrolled, update);
  update = make_for(ko, Expr(0), Expr((s.k + s.unroll_k - 1) / s.unroll_k), LoopKind::kSerial, update);
  const Stmt store =
      tile([&](Expr i, Expr j, Expr row, Expr column) { return make_store(C, {row, column}, make_load(acc, {i, j})); });
  Stmt body = make_allocate(acc, block({init, update, store}));
  body = make_for(jo, Expr(0), Expr((s.n + s.tile_n - 1) / s.tile_n), LoopKind::kSerial, body);
  body = make_for(io, Expr(0), Expr((s.m + s.tile_m - 1) / s.tile_m),
                  s.parallel ? LoopKind::kParallel : LoopKind::kSerial, body);
  return {"matmul",        {{A, Role::kInput}, {B, Role::kInput}, {C, Role::kOutput}}, {}, {}, {}, {}, make_launch(0),
          {{"main", body}}};
}

}  // namespace nestwright::testing
