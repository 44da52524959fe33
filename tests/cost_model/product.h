// A matrix product as hand-written loops. Thread rule: values.
#pragma once

#include <utility>
#include <vector>

#include "nestwright/program.h"

namespace nestwright {

inline ir::Program program_of(ir::Stmt body, std::vector<ir::Parameter> parameters) {
  ir::Program p;
  p.name = "test";
  p.parameters = std::move(parameters);
  p.host = ir::make_launch(0);
  p.kernels.push_back({"test", std::move(body)});
  return p;
}

/// C += A B, 64 x 48 with a reduction over 32.
struct Product {
  ir::Buffer a{"A", kFloat32, {64, 32}}, b{"B", kFloat32, {32, 48}}, c{"C", kFloat32, {64, 48}};
  ir::Var i{"i"}, j{"j"}, k{"k"};

  ir::Expr product() const { return ir::make_load(a, {i, k}) * ir::make_load(b, {k, j}); }
  ir::Stmt update() const { return ir::make_store(c, {i, j}, ir::make_load(c, {i, j}) + product()); }
  ir::Program program(ir::Stmt innermost, ir::LoopKind inner = ir::LoopKind::kSerial, ir::Expr rows = 64) const {
    ir::Stmt s = ir::make_for(j, 0, 48, inner, std::move(innermost));
    s = ir::make_for(k, 0, 32, ir::LoopKind::kSerial, s);
    s = ir::make_for(i, 0, std::move(rows), ir::LoopKind::kSerial, s);
    return program_of(s, {{a, ir::Role::kInput}, {b, ir::Role::kInput}, {c, ir::Role::kOutput}});
  }
  ir::Program naive(ir::LoopKind inner = ir::LoopKind::kSerial) const { return program(update(), inner); }
};

}  // namespace nestwright
