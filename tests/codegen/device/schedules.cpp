#include "tests/codegen/device/schedules.h"

#include <algorithm>

#include "lower/lower.h"
#include "tests/lower/cumulative_sum.h"

namespace nestwright::testing {
namespace {

/// Four elements a thread by vectors, 1000 elements by 64 threads a block.
NamedProgram elementwise(const Target& target) {
  const Tensor A = placeholder({1000}, kFloat32, "A"), B = placeholder({1000}, kFloat32, "B");
  const Tensor C = compute({1000}, [&](Expr i) { return max(A(i) * 2.0 + B(i), 0.0); }, "C");
  Schedule s = create_schedule(C);
  const auto [rest, lanes] = s[C].split(s[C].axis(0), factor(4));
  const auto [bx, tx] = s[C].split(rest, factor(64));
  s[C].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX).vectorize(lanes);
  return {"elementwise", lower(s, {A, B, C}, target, "elementwise"), {}};
}

/// Tiles of 32x64 a block of 8x16 threads, 4x4 a thread in registers; A and B by slices of 8 along k through shared
/// memory, which the threads load together by vectors, one slice ahead.
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

/// Sums of 300 by 32 threads each, which share their partial sums.
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

/// A launch a step.
NamedProgram running_sum(const Target& target) {
  const auto [X, Y, s] = bound_cumulative_sum();
  return {"running_sum", lower(s, {X, Y}, target, "running_sum"), {10, 1024}};
}

/// What the first stores in the workspace the second one reads.
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

NamedProgram fragments(ir::Type type, bool ta, bool tb) {
  const bool of_bytes = type.bytes() == 1, in_tf32 = type == kFloat32;
  const std::int64_t steps = 32 / type.bytes();
  const ir::Type sums_of = of_bytes ? kInt32 : kFloat32;
  const Tensor A = placeholder({64, 64}, type, "A"),
               B = placeholder({tb ? 96 : 64, tb ? 64 : 96}, of_bytes ? kInt8 : type, "B");
  const auto multiplied = [&](const Tensor& read) {
    if (!in_tf32) return read;
    return compute(
        {read.shape()[0], read.shape()[1]}, [&](Expr i, Expr j) { return round_tf32(read(i, j)); },
        read.name() + ".tf32");
  };
  const Tensor a = multiplied(A), b = multiplied(B);
  const IterVar k = reduce_axis(64, "k");
  const Tensor C = compute(
      {64, 96},
      [&](Expr i, Expr j) {
        return sum(cast(sums_of, ta ? a(k, i) : a(i, k)) * cast(sums_of, tb ? b(j, k) : b(k, j)), k);
      },
      "C");
  Schedule s = create_schedule(C);
  const Tensor sums = s.cache_write(C, ir::Scope::kFragment);
  const auto [by, bx, i, j] = s[C].tile(s[C].axis(0), s[C].axis(1), 32, 32);
  const auto [i8, y] = s[C].split(i, factor(8));
  const auto [warp, j16] = s[C].split(j, factor(16));
  const auto [j8, rest] = s[C].split(j16, factor(8));
  const auto [x, pair] = s[C].split(rest, factor(2));
  s[C].reorder({by, bx, warp, y, x, i8, j8, pair}).bind(by, kBlockIdxY).bind(bx, kBlockIdxX);
  s[C].bind(warp, kThreadIdxZ).bind(y, kThreadIdxY).bind(x, kThreadIdxX).unroll(i8).unroll(j8).vectorize(pair);
  s[sums].compute_at(s[C], x);
  const auto [slice, in_slice] = s[sums].split(s[sums].reduce_axis(0), factor(32));
  const auto [step, along] = s[sums].split(in_slice, factor(steps));
  const auto [rows, row] = s[sums].split(s[sums].axis(0), factor(16));
  const auto [columns, column] = s[sums].split(s[sums].axis(1), factor(8));
  s[sums].reorder({slice, step, rows, columns, row, column, along}).unroll(rows).unroll(columns);
  for (const auto& [read, rounded] : {std::pair{A, a}, std::pair{B, b}}) {
    const Tensor cache = s.cache_read(read, ir::Scope::kShared, {in_tf32 ? rounded : sums});
    s[cache].compute_at(s[sums], slice).double_buffer().storage_align(s[cache].axis(0), 49, 48);
    const auto [vectors, lanes] = s[cache].split(s[cache].axis(1), factor(16 / type.bytes()));
    const IterVar all = s[cache].fuse(s[cache].axis(0), vectors);
    const auto [turn, thread] = s[cache].split(all, factor(64));
    const auto [yz, tx] = s[cache].split(thread, factor(4));
    const auto [tz, ty] = s[cache].split(yz, factor(8));
    s[cache].bind(tz, kThreadIdxZ).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX).vectorize(lanes);
    const Tensor fragment = in_tf32 ? rounded : s.cache_read(cache, ir::Scope::kFragment, {sums});
    s[fragment].set_scope(ir::Scope::kFragment).compute_at(s[sums], step);
    const auto [r, r16] = s[fragment].split(s[fragment].axis(0), factor(16));
    const auto [c, c16] = s[fragment].split(s[fragment].axis(1), factor(of_bytes || in_tf32 ? steps : 16));
    s[fragment].reorder({r, c, r16, c16}).unroll(r).unroll(c);
  }
  return {"fragments", lower(s, {A, B, C}, device_target(DeviceKind::kCuda), "fragments"), {}};
}

NamedProgram warpgroups(ir::Type type, bool ta, bool tb) {
  const bool of_bytes = type.bytes() == 1;
  const ir::Type sums_of = of_bytes ? kInt32 : kFloat32;
  const Tensor A = placeholder({128, 128}, type, "A"),
               B = placeholder({tb ? 96 : 128, tb ? 128 : 96}, of_bytes ? kInt8 : type, "B");
  const IterVar k = reduce_axis(128, "k");
  const Tensor C = compute(
      {128, 96},
      [&](Expr i, Expr j) {
        return sum(cast(sums_of, ta ? A(k, i) : A(i, k)) * cast(sums_of, tb ? B(j, k) : B(k, j)), k);
      },
      "C");
  Schedule s = create_schedule(C);
  const Tensor sums = s.cache_write(C, ir::Scope::kFragment);
  const auto [by, bx, i, j] = s[C].tile(s[C].axis(0), s[C].axis(1), 128, 32);
  const auto [group, i64] = s[C].split(i, factor(64));
  const auto [warp, i16] = s[C].split(i64, factor(16));
  const auto [i8, y] = s[C].split(i16, factor(8));
  const auto [j8, rest] = s[C].split(j, factor(8));
  const auto [x, pair] = s[C].split(rest, factor(2));
  s[C].reorder({by, bx, group, warp, y, x, i8, j8, pair}).bind(by, kBlockIdxY).bind(bx, kBlockIdxX);
  s[C].bind(s[C].fuse(group, warp), kThreadIdxZ).bind(y, kThreadIdxY).bind(x, kThreadIdxX);
  s[C].unroll(i8).unroll(j8).vectorize(pair);
  s[sums].compute_at(s[C], x);
  const std::int64_t row = 16 / type.bytes();  // of a core
  const auto [slice, in_slice] = s[sums].split(s[sums].reduce_axis(0), factor(64));
  const auto [cores, step] = s[sums].split(in_slice, factor(row));
  const auto [rows, row8] = s[sums].split(s[sums].axis(0), factor(8));
  const auto [columns, column] = s[sums].split(s[sums].axis(1), factor(8));
  s[sums].reorder({slice, rows, row8, columns, column, cores, step});
  for (const Tensor& read : {A, B}) {
    const Tensor cache = s.cache_read(read, ir::Scope::kShared, {sums});
    // Rows of cores run as those of the matrix do.
    const auto layout = s.transform_layout(
        cache, [&](std::span<const Expr> at) { return std::vector<Expr>{at[1] / row, at[0], at[1] % row}; });
    s[cache].compute_at(s[sums], slice).double_buffer();
    s[cache].reorder({layout[1], layout[0], layout[2]});
    const auto [turn, thread] = s[cache].split(s[cache].fuse(layout[1], layout[0]), factor(256));
    const auto [yz, tx] = s[cache].split(thread, factor(4));
    const auto [tz, ty] = s[cache].split(yz, factor(8));
    s[cache].bind(tz, kThreadIdxZ).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX).vectorize(layout[2]);
  }
  return {"warpgroups", lower(s, {A, B, C}, device_target(DeviceKind::kCuda), "warpgroups"), {}};
}

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
  return {elementwise(target), matmul(target), row_sums(target), running_sum(target), two_kernels(target)};
}

NamedProgram device_program(const std::string& name, DeviceKind device) {
  for (NamedProgram& found : device_programs(device)) {
    if (found.name == name) return std::move(found);
  }
  return {};
}

}  // namespace nestwright::testing
