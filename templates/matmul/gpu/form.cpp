#include "templates/matmul/gpu/register_tiles.h"

#include "nestwright/tensor.h"

namespace nestwright {
namespace {

using Indices = std::span<const Expr>;

/// An operand as the tiles read it.
struct Operand {
  Tensor matrix;
  bool along_k;                          ///< it is stored [across, k], else [k, across]
  bool keep;                             ///< the padded copy is stored [across, k], else [k, across]
  std::int64_t across, k;                ///< extents of the matrix
  std::int64_t padded_across, padded_k;  ///< those of the copy, padded with zeros
  bool is_rounded;                       ///< to tf32
};

Tensor pad(const Operand& from, std::int64_t batch, const std::string& name) {
  std::vector<Expr> shape{Expr(from.padded_k), Expr(from.padded_across)};
  if (from.keep) std::swap(shape[0], shape[1]);
  if (batch > 1) shape.insert(shape.begin(), Expr(batch));
  return compute(
      shape,
      [&](Indices x) {
        const Expr &first = x[x.size() - 2], &second = x.back();
        const Expr &k = from.keep ? second : first, &across = from.keep ? first : second;
        std::vector<Expr> at{from.along_k ? across : k, from.along_k ? k : across};
        if (from.matrix.rank() > 2) at.insert(at.begin(), x[0]);
        const Expr read = read_through(from.matrix, at), element = from.is_rounded ? round_tf32(read) : read;
        Expr inside;
        if (from.padded_k > from.k) inside = k < Expr(from.k);
        if (from.padded_across > from.across) {
          const Expr inside_across = across < Expr(from.across);
          inside = inside.defined() ? inside && inside_across : inside_across;
        }
        return inside.defined() ? select(inside, element, ir::make_const(0, element.type())) : element;
      },
      name);
}

Tensor rounded(const Tensor& slice, const std::string& name) {
  return compute(slice.shape(), [&](Indices x) { return round_tf32(slice(x)); }, name);
}

}  // namespace

ir::Type matmul_gpu_sums(const Workload& workload) {
  const ir::Type sum = matmul_types(workload.type("dtype")).sum;
  return sum == kFloat16 ? kFloat32 : sum;
}

MatmulGpuForm matmul_gpu_form(const Workload& workload, Definition& definition, const MatmulGpuKnobs& knobs) {
  const MatmulShape shape = matmul_shape(workload);
  const ir::Type type = matmul_gpu_sums(workload);
  const std::int64_t of_part = ceil_div(ceil_div(shape.k, knobs.parts), knobs.k_block) * knobs.k_block;
  const std::int64_t k = of_part * knobs.parts;
  const std::int64_t m = ceil_div(shape.m, knobs.m.of_block()) * knobs.m.of_block(),
                     n = ceil_div(shape.n, knobs.n.of_block()) * knobs.n.of_block();
  MatmulGpuForm form;
  form.has_batch = shape.batch > 1;
  const bool late = shape.in_tf32 && knobs.rounds_at_use, early = shape.in_tf32 && !late;
  const Tensor given = definition.args.back(), own = sums_of(given);
  const Tensor left = operand_of(own, definition.args[0]), right = operand_of(own, definition.args[1]);
  form.a = pad({left, !shape.ta, knobs.rows_a, shape.m, shape.k, m, k, early}, shape.batch, "A.tile");
  form.b = pad({right, shape.tb, knobs.rows_b, shape.n, shape.k, n, k, early}, shape.batch, "B.tile");
  if (late) {
    form.rounded_a = rounded(form.a, "A.tf32");
    form.rounded_b = rounded(form.b, "B.tf32");
  }
  const Tensor &a = late ? form.rounded_a : form.a, &b = late ? form.rounded_b : form.b;

  const auto dimensions = [&](std::int64_t rows, std::int64_t columns, bool parts) {
    std::vector<Expr> result{Expr(rows), Expr(columns)};
    if (parts) result.insert(result.begin(), Expr(knobs.parts));
    if (form.has_batch) result.insert(result.begin(), Expr(shape.batch));
    return result;
  };
  const bool in_parts = knobs.parts > 1;
  const IterVar step = reduce_axis(of_part, "k");
  form.tile = compute(
      dimensions(m, n, in_parts),
      [&](Indices c) {
        const Expr kk = in_parts ? c[c.size() - 3] * of_part + step : Expr(step);
        const auto element = [&](const Tensor& operand, bool rows, const Expr& across) {
          std::vector<Expr> at{kk, across};
          if (rows) std::swap(at[0], at[1]);
          if (form.has_batch) at.insert(at.begin(), c[0]);
          return cast(type, operand.at(at));
        };
        return sum(element(a, knobs.rows_a, c[c.size() - 2]) * element(b, knobs.rows_b, c.back()), step);
      },
      "AB");
  Tensor sums = form.tile;
  if (in_parts) {
    form.partial = compute(dimensions(shape.m, shape.n, true), [&](Indices c) { return form.tile(c); }, "partial_sums");
    const IterVar part = reduce_axis(knobs.parts, "part");
    form.sums = sums = compute(
        dimensions(shape.m, shape.n, false),
        [&](Indices c) {
          std::vector<Expr> at(c.begin(), c.end());
          at.insert(at.end() - 2, part);
          return sum(form.partial.at(at), part);
        },
        "sums");
  }
  form.result = definition.args.back() = result_from(given, sums);
  return form;
}

}  // namespace nestwright
