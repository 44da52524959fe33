#include "templates/matmul/cpu/packed_words.h"

#include "nestwright/expr_nodes.h"

namespace nestwright {
namespace {

constexpr std::int64_t kLanes = 16;  ///< partial sums of a row

/// The word of the values from step * parts on; past the end of the reduction they are 0.
template <class At>
Expr word_of(const WordKind& kind, std::int64_t k, std::int64_t steps, const Expr& step, At at) {
  std::vector<Expr> parts;
  for (std::int64_t p = 0; p < kind.parts; ++p) {
    const Expr position = step * Expr(kind.parts) + Expr(p);
    Expr part = at(position);
    if (part.type().is_int()) part = cast(kInt32, part);
    if (steps * kind.parts != k) part = select(position < Expr(k), part, ir::make_const(0, part.type()));
    parts.push_back(part);
  }
  return ir::join(parts);
}

}  // namespace

MatmulShape word_shape(const Workload& workload, const WordKind& kind) {
  MatmulShape shape = matmul_shape(workload);
  shape.k = ceil_div(shape.k, kind.parts * kind.multiple) * kind.multiple;
  shape.ta = shape.tb = false;
  return shape;
}

MatmulForm make_word_form(const Workload& workload, const Definition& definition, const WordKind& kind) {
  const MatmulShape shape = matmul_shape(workload);
  MatmulForm form{.shape = word_shape(workload, kind)};
  const std::int64_t steps = form.shape.k;
  const Tensor &a = definition.args[0], &b = definition.args[1];
  const auto word_of_a = [&](const Expr& i, const Expr& step) {
    return word_of(kind, shape.k, steps, step, [&](const Expr& k) { return shape.ta ? a(k, i) : a(i, k); });
  };
  const auto word_of_b = [&](const Expr& step, const Expr& j) {
    return word_of(kind, shape.k, steps, step, [&](const Expr& k) {
      const Expr element = shape.tb ? b(j, k) : b(k, j);
      return kind.shifted_b ? cast(kInt32, element) + 128 : element;
    });
  };
  form.a = compute({Expr(shape.m), Expr(steps)}, [&](Expr i, Expr s) { return word_of_a(i, s); }, "A.words");
  form.b = compute({Expr(steps), Expr(shape.n)}, [&](Expr s, Expr j) { return word_of_b(s, j); }, "B.words");
  const IterVar step = reduce_axis(steps, "k");
  const Expr zero = ir::make_const(0, shape.type);
  const auto product = [&](Expr i, Expr j) {
    const Expr of_a = form.a(i, step), of_b = form.b(step, j);
    return sum(kind.shifted_b ? ir::dot(kind.dot, zero, of_b, of_a) : ir::dot(kind.dot, zero, of_a, of_b), step);
  };
  form.sums = compute({shape.m, shape.n}, product, kind.shifted_b ? "C.sums" : "C");
  form.result = form.sums;
  form.copies_a = shape.ta || steps * kind.parts != shape.k || kind.dot == ir::Intrinsic::kDotS16;
  form.vectorizes_n_only = true;
  form.registers_unpacked = 3;
  if (!kind.shifted_b) return form;

  // 128 times the sums of A's rows, by the same instruction: 128 is a byte of its first operand.
  const Expr all_128 = ir::make_int(std::int64_t{-2139062144}, kInt32);
  const IterVar part = reduce_axis(ceil_div(steps, kLanes), "part"), lane = reduce_axis(kLanes, "lane");
  const auto partial_sum = [&](Expr i, Expr l) {
    const Expr at = Expr(part) * Expr(kLanes) + l, word = word_of_a(i, at);
    return sum(ir::dot(kind.dot, zero, all_128, steps % kLanes == 0 ? word : select(at < Expr(steps), word, zero)),
               part);
  };
  form.partial_sums = compute({Expr(shape.m), Expr(kLanes)}, partial_sum, "A.partial_sums");
  form.row_sums = compute({shape.m}, [&](Expr i) { return sum(form.partial_sums(i, lane), lane); }, "A.sums");
  form.result = compute({shape.m, shape.n}, [&](Expr i, Expr j) { return form.sums(i, j) - form.row_sums(i); }, "C");
  return form;
}

}  // namespace nestwright
