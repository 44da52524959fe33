#include "tests/codegen/device/products.h"

#include <algorithm>
#include <tuple>

#include "codegen/cuda/cuda_dialect.h"
#include "codegen/source/device_object.h"
#include "nestwright/lower.h"

namespace nestwright::testing {

Product product(const ProductShape& p) {
  const ir::Type sums_of = p.type.bytes() == 1 ? kInt32 : kFloat32;
  Product result;
  result.A = placeholder({p.ta ? p.k : p.m, p.ta ? p.m : p.k}, p.type, "A");
  result.B = placeholder({p.tb ? p.n : p.k, p.tb ? p.k : p.n}, p.type == kUInt8 ? kInt8 : p.type, "B");
  const auto multiplied = [&](const Tensor& read) {
    if (!p.rounds) return read;
    return compute(
        {read.shape()[0], read.shape()[1]}, [&](Expr i, Expr j) { return round_tf32(read(i, j)); },
        read.name() + ".tf32");
  };
  const Tensor a = result.a = multiplied(result.A), b = result.b = multiplied(result.B);
  const IterVar k = reduce_axis(p.k, "k");
  result.C = compute(
      {p.m, p.n},
      [&](Expr i, Expr j) {
        return sum(cast(sums_of, p.ta ? a(k, i) : a(i, k)) * cast(sums_of, p.tb ? b(j, k) : b(k, j)), k);
      },
      "C");
  return result;
}

std::string cuda_source(const NamedProgram& p, const char* arch) {
  Target target = device_target(DeviceKind::kCuda);
  target.arch = arch;
  const ir::Program expanded = expand(p.program, target, {.after_pass = {}, .verify = true});
  return codegen::device_object(expanded, codegen::CudaDialect()).source;
}

NamedProgram fragments(ir::Type type, bool ta, bool tb, std::int64_t k, std::int64_t stages) {
  const bool in_tf32 = type == kFloat32;
  const std::int64_t steps = 32 / type.bytes();
  const auto [A, B, a, b, C] = product({type, 64, 96, k, ta, tb, in_tf32});
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
  for (const auto& [read, rounded, along_rows] : {std::tuple{A, a, !ta}, std::tuple{B, b, tb}}) {
    const Tensor cache = s.cache_read(read, ir::Scope::kShared, {in_tf32 ? rounded : sums});
    // Rows lie 4 banks apart, or 8 if 4 bytes are read across them.
    const std::int64_t length = 32 + (in_tf32 && !along_rows ? 32 : 16) / type.bytes();
    s[cache].compute_at(s[sums], slice).double_buffer(stages).storage_align(s[cache].axis(0), length + 1, length);
    const auto [vectors, lanes] = s[cache].split(s[cache].axis(1), factor(16 / type.bytes()));
    const IterVar all = s[cache].fuse(s[cache].axis(0), vectors);
    const auto [turn, thread] = s[cache].split(all, factor(64));
    const auto [yz, tx] = s[cache].split(thread, factor(4));
    const auto [tz, ty] = s[cache].split(yz, factor(8));
    s[cache].bind(tz, kThreadIdxZ).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX).vectorize(lanes);
    const Tensor fragment = in_tf32 ? rounded : s.cache_read(cache, ir::Scope::kFragment, {sums});
    s[fragment].set_scope(ir::Scope::kFragment).compute_at(s[sums], step);
    const auto [r, r16] = s[fragment].split(s[fragment].axis(0), factor(along_rows ? 16 : steps));
    const auto [c, c16] = s[fragment].split(s[fragment].axis(1), factor(along_rows ? steps : 16));
    s[fragment].reorder({r, c, r16, c16}).unroll(r).unroll(c);
  }
  return {"fragments", lower(s, {A, B, C}, device_target(DeviceKind::kCuda), "fragments"), {}};
}

/// `row_bytes` of the matrices in shared memory, 16 or 128.
NamedProgram warpgroups_of_rows(std::int64_t row_bytes, const ProductShape& shape, std::int64_t columns_of_block,
                                std::int64_t stages) {
  const ir::Type type = shape.type;
  const auto [A, B, a, b, C] = product(shape);
  Schedule s = create_schedule(C);
  const Tensor sums = s.cache_write(C, ir::Scope::kFragment);
  const auto [by, bx, i, j] = s[C].tile(s[C].axis(0), s[C].axis(1), 128, columns_of_block);
  const auto [group, i64] = s[C].split(i, factor(64));
  const auto [warp, i16] = s[C].split(i64, factor(16));
  const auto [i8, y] = s[C].split(i16, factor(8));
  const auto [j8, rest] = s[C].split(j, factor(8));
  const auto [x, pair] = s[C].split(rest, factor(2));
  s[C].reorder({by, bx, group, warp, y, x, i8, j8, pair}).bind(by, kBlockIdxY).bind(bx, kBlockIdxX);
  s[C].bind(s[C].fuse(group, warp), kThreadIdxZ).bind(y, kThreadIdxY).bind(x, kThreadIdxX);
  s[C].unroll(i8).unroll(j8).vectorize(pair);
  s[sums].compute_at(s[C], x);
  const std::int64_t row = row_bytes / type.bytes(), core_row = 16 / type.bytes();
  const auto [slice, in_slice] = s[sums].split(s[sums].reduce_axis(0), factor(std::max<std::int64_t>(64, row)));
  const auto [cores, step] = s[sums].split(in_slice, factor(core_row));
  const auto [rows, row8] = s[sums].split(s[sums].axis(0), factor(8));
  const auto [columns, column] = s[sums].split(s[sums].axis(1), factor(8));
  std::vector<IterVar> order{slice, rows, row8, columns, column, cores, step};
  if (columns_of_block > 64) {
    const auto [wide, narrow] = s[sums].split(columns, factor(8));
    order[3] = wide;
    order.insert(order.begin() + 4, narrow);
  }
  s[sums].reorder(order);
  for (const Tensor& read : {A, B}) {
    const Tensor cache = s.cache_read(read, ir::Scope::kShared, {sums});
    // Rows of cores have the direction of the matrix's rows.
    const auto layout = s.transform_layout(
        cache, [&](std::span<const Expr> at) { return std::vector<Expr>{at[1] / row, at[0], at[1] % row}; });
    s[cache].compute_at(s[sums], slice).double_buffer(stages);
    const auto [pieces, lanes] = s[cache].split(layout[2], factor(core_row));
    s[cache].reorder({layout[1], layout[0], pieces, lanes});
    const IterVar all = s[cache].fuse(s[cache].fuse(layout[1], layout[0]), pieces);
    const auto [turn, thread] = s[cache].split(all, factor(256));
    const auto [yz, tx] = s[cache].split(thread, factor(4));
    const auto [tz, ty] = s[cache].split(yz, factor(8));
    s[cache].bind(tz, kThreadIdxZ).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX).vectorize(lanes);
  }
  return {"warpgroups", lower(s, {A, B, C}, device_target(DeviceKind::kCuda), "warpgroups"), {}};
}

NamedProgram warpgroups(ir::Type type, bool ta, bool tb, std::int64_t k, std::int64_t stages) {
  return warpgroups_of_rows(16, {type, 128, 96, k, ta, tb}, 32, stages);
}

NamedProgram swizzled_warpgroups(ir::Type type, bool ta, bool tb, std::int64_t k, std::int64_t stages) {
  return warpgroups_of_rows(128, {type, 128, 256, k, ta, tb}, 128, stages);
}

}  // namespace nestwright::testing
