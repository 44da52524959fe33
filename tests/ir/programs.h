// Small programs that several tests of ir/ share.
// Thread rule: values.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::ir {

/// A program of one kernel, launched once.
inline Program program_of(std::vector<Parameter> parameters, Stmt body, std::vector<Var> symbols = {}) {
  Program program;
  program.name = "test";
  program.parameters = std::move(parameters);
  program.symbols = std::move(symbols);
  program.host = make_launch(0);
  program.kernels.push_back({"test", std::move(body)});
  return program;
}

inline Stmt loop(const Var& var, Expr extent, Stmt body, LoopKind kind = LoopKind::kSerial) {
  return make_for(var, 0, std::move(extent), kind, std::move(body));
}

inline Expr at(const Buffer& buffer, std::vector<Expr> indices) { return make_load(buffer, std::move(indices)); }

template <class T>
Memory memory(std::vector<T>& values) {
  return std::as_writable_bytes(std::span<T>(values));
}

/// C = A * B of 8x12, 12x32 in tiles: rows in parallel, a register tile, vectorised columns.
struct TiledMatmul {
  static constexpr int kM = 8, kN = 32, kK = 12;
  Buffer a{"A", kFloat32, {kM, kK}}, b{"B", kFloat32, {kK, kN}}, c{"C", kFloat32, {kM, kN}};
  Buffer acc{"acc", kFloat32, {4, 16}, Scope::kRegister};
  Var io{"io"}, jo{"jo"}, k{"k"}, ii{"ii"}, ji{"ji"}, i1{"i1"}, j1{"j1"}, i2{"i2"}, j2{"j2"};

  Program program() const {
    const Stmt zero = loop(i1, 4, loop(j1, 16, make_store(acc, {i1, j1}, 0.0), LoopKind::kVectorized));
    const Stmt update = loop(
        k, kK,
        loop(ii, 4,
             loop(ji, 16,
                  make_store(acc, {ii, ji}, at(acc, {ii, ji}) + at(a, {io * 4 + ii, k}) * at(b, {k, jo * 16 + ji})),
                  LoopKind::kVectorized),
             LoopKind::kUnrolled));
    const Stmt write =
        loop(i2, 4, loop(j2, 16, make_store(c, {io * 4 + i2, jo * 16 + j2}, at(acc, {i2, j2})), LoopKind::kVectorized));
    const Stmt tile = make_allocate(acc, block({zero, update, write}));
    return program_of({{a}, {b}, {c, Role::kOutput}}, loop(io, 2, loop(jo, 2, tile), LoopKind::kParallel));
  }
};

}  // namespace nestwright::ir
