#include "tests/codegen/device/schedules.h"

#include <algorithm>

#include "nestwright/lower.h"
#include "tests/lower/cumulative_sum.h"

namespace nestwright::testing {
namespace {

/// 1000 elements by blocks of 64 threads, with a vector of four elements for each thread.
NamedProgram elementwise(const Target& target) {
  const Tensor A = placeholder({1000}, kFloat32, "A"), B = placeholder({1000}, kFloat32, "B");
  const Tensor C = compute({1000}, [&](Expr i) { return max(A(i) * 2.0 + B(i), 0.0); }, "C");
  Schedule s = create_schedule(C);
  const auto [rest, lanes] = s[C].split(s[C].axis(0), factor(4));
  const auto [bx, tx] = s[C].split(rest, factor(64));
  s[C].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX).vectorize(lanes);
  return {"elementwise", lower(s, {A, B, C}, target, "elementwise"), {}};
}

/// Tiles of 32x64 by blocks of 8x16 threads, 4x4 elements for each thread in registers; slices of 8 steps of A and B in
/// shared memory, which the threads load together by vectors, one slice ahead.
NamedProgram matmul(const Target& target) {
  const Tensor A = placeholder({64, 96}, kFloat32, "A"), B = placeholder({96, 128}, kFloat32, "B");
  const IterVar k = reduce_axis(96, "k");
  const Tensor C = compute({64, 128}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
  Schedule s = create_schedule(C);
  const Tensor tile = s.cache_write(C, ir::Scope::kRegister);
  const auto [by, bx, yi, xi] = s[C].tile(s[C].axis(0), s[C].axis(1), 32, 64);
  const auto [ty, i] = s[C].split(yi, nparts(8));
  const auto [tx, j] = s[C].split(xi, nparts(16));
  s[C].reorder({by, bx, ty, tx, i, j});
  s[C].bind(by, kBlockIdxY).bind(bx, kBlockIdxX).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX);
  s[C].unroll(i).vectorize(j);
  s[tile].compute_at(s[C], tx);
  const auto [ko, ki] = s[tile].split(s[tile].reduce_axis(0), factor(8));
  s[tile].reorder({ko, ki, s[tile].axis(0), s[tile].axis(1)});
  s[tile].unroll(ki).unroll(s[tile].axis(0)).unroll(s[tile].axis(1));
  for (const Tensor& read : {A, B}) {
    const Tensor cache = s.cache_read(read, ir::Scope::kShared, {tile});
    s[cache].compute_at(s[tile], ko);
    s[cache].double_buffer();
    const IterVar all = s[cache].fuse(s[cache].axis(0), s[cache].axis(1));
    const auto [vectors, lanes] = s[cache].split(all, factor(read == B ? 4 : 2));
    const auto [rest, x] = s[cache].split(vectors, factor(16));
    const auto [turns, y] = s[cache].split(rest, factor(8));
    s[cache].bind(x, kThreadIdxX).bind(y, kThreadIdxY).vectorize(lanes);
  }
  return {"matmul", lower(s, {A, B, C}, target, "matmul"), {}};
}

/// Sums of 300 elements by 32 threads each, which share their partial sums.
NamedProgram row_sums(const Target& target) {
  const Tensor A = placeholder({64, 320}, kFloat32, "A");
  const IterVar k = reduce_axis(320, "k");
  const Tensor B = compute({64}, [&](Expr i) { return sum(A(i, k), k); }, "B");
  Schedule s = create_schedule(B);
  const auto [ko, ki] = s[B].split(s[B].reduce_axis(0), factor(32));
  const Tensor partial = s.rfactor(B, ki, 1);
  const auto [bx, tx] = s[B].split(s[B].axis(0), factor(32));
  s[B].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  s[partial].set_scope(ir::Scope::kShared);
  s[partial].compute_at(s[B], tx);
  s[partial].bind(s[partial].axis(1), kThreadIdxX);
  return {"row_sums", lower(s, {A, B}, target, "row_sums"), {}};
}

/// Sums of rows by blocks of 4 x 8 threads: eight threads share a row.
NamedProgram shared_rows(const Target& target) {
  const Tensor A = placeholder({64, 100}, kFloat32, "A");
  const IterVar k = reduce_axis(100, "k");
  const Tensor B = compute({64}, [&](Expr i) { return sum(A(i, k), k); }, "B");
  Schedule s = create_schedule(B);
  const auto [by, ty] = s[B].split(s[B].axis(0), factor(4));
  s[B].bind(by, kBlockIdxX).bind(ty, kThreadIdxY).bind(s[B].split(k, factor(8)).second, kThreadIdxX);
  return {"shared_rows", lower(s, {A, B}, target, "shared_rows"), {}};
}

/// A scan with a launch for each step.
NamedProgram running_sum(const Target& target) {
  const auto [X, Y, s] = bound_cumulative_sum();
  return {"running_sum", lower(s, {X, Y}, target, "running_sum"), {10, 1024}};
}

/// The second kernel reads elements that the first stores in the workspace.
NamedProgram two_kernels(const Target& target) {
  const Var n = var("n");
  const Tensor A = placeholder({n}, kFloat16, "A");
  const Tensor T = compute({n}, [&](Expr i) { return exp(cast(kFloat32, A(i))); }, "float");
  const Tensor C = compute({n}, [&](Expr i) { return cast(kFloat16, T(i) * T(n - 1 - i)); }, "C");
  Schedule s = create_schedule(C);
  for (const Tensor& t : {T, C}) {
    const auto [bx, tx] = s[t].split(s[t].axis(0), factor(32));
    s[t].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  }
  return {"two_kernels", lower(s, {A, C}, target, "two_kernels"), {100}};
}

}  // namespace

Target device_target(DeviceKind device) {
  Target target;
  target.device = device;
  if (device == DeviceKind::kCuda) target.arch = "sm_90";
  return target;
}

ir::Program padded_rows(ir::Type type, DeviceKind device) {
  const Tensor A = placeholder({5, 16}, type, "A");
  const Tensor B = compute(
      {8, 16}, [&](Expr i, Expr j) { return select(i >= 1 && i < 6, A(i - 1, j), ir::make_const(0, type)); }, "B");
  Schedule s = create_schedule(B);
  const auto [vectors, lanes] = s[B].split(s[B].axis(1), factor(4));
  s[B].bind(s[B].axis(0), kBlockIdxX).bind(vectors, kThreadIdxX).vectorize(lanes);
  return lower(s, {A, B}, device_target(device), "padded_rows");
}

std::vector<NamedProgram> device_programs(DeviceKind device) {
  const Target target = device_target(device);
  return {elementwise(target), matmul(target),      row_sums(target),
          shared_rows(target), running_sum(target), two_kernels(target)};
}

NamedProgram device_program(const std::string& name, DeviceKind device) {
  for (NamedProgram& found : device_programs(device)) {
    if (found.name == name) return std::move(found);
  }
  return {};
}

}  // namespace nestwright::testing
