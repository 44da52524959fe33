// The template of float16 and bfloat16 products in float32: blocks of A are converted before they are used, and B
// either when it is packed or, of bfloat16, in the loop: there B stays in words of two steps, and both halves become
// float32 by one operation a vector.
#include "nestwright/expr_nodes.h"
#include "templates/matmul/cpu/knobs.h"
#include "templates/matmul/cpu/seeds.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

constexpr std::int64_t kHalf = 1 << 16;

/// The float32 of half `part` of a word, which has the upper half of its bits.
Expr float_of(const Expr& word, const Expr& part) {
  const Expr half(ir::make_int(kHalf, kInt32));
  return ir::reinterpret(kFloat32, select(part < 1, word * half, word / half * half));
}

MatmulForm make_form(const Workload& workload, const Definition& definition, bool pairs) {
  const MatmulTypes types = matmul_types(workload.type("dtype"));
  MatmulShape shape = matmul_shape(workload);
  shape.type = kFloat32;
  const Tensor &a = definition.args[0], &b = definition.args[1];
  const auto at_a = [&](const Expr& i, const Expr& k) { return cast(kFloat32, shape.ta ? a(k, i) : a(i, k)); };
  const auto at_b = [&](const Expr& k, const Expr& j) { return shape.tb ? b(j, k) : b(k, j); };
  const std::int64_t parts = pairs ? 2 : 1, steps = ceil_div(shape.k, parts);
  const bool ragged = steps * parts != shape.k;

  MatmulForm form{.shape = shape};
  form.shape.k = steps;
  form.shape.ta = form.shape.tb = false;
  form.parts = static_cast<int>(parts);
  form.a = compute(
      {shape.m, steps * parts},
      [&](Expr i, Expr k) {
        return ragged ? select(k < Expr(shape.k), at_a(i, k), ir::make_float(0, kFloat32)) : at_a(i, k);
      },
      "A.wide");
  if (pairs) {
    form.b = compute(
        {steps, shape.n},
        [&](Expr step, Expr j) {
          const Expr k = step * 2;
          const Expr second = at_b(k + 1, j), zero = ir::make_float(0, second.type());
          return ir::join({at_b(k, j), ragged ? select(k + 1 < Expr(shape.k), second, zero) : second});
        },
        "B.words");
  } else {
    form.b = compute({shape.k, shape.n}, [&](Expr k, Expr j) { return cast(kFloat32, at_b(k, j)); }, "B.wide");
  }
  const IterVar step = reduce_axis(steps, "k"), part = reduce_axis(2, "part");
  const bool is_rounded = types.c != shape.type;
  form.sums = compute(
      {shape.m, shape.n},
      [&](Expr i, Expr j) {
        if (!pairs) return sum(form.a(i, step) * form.b(step, j), step);
        return sum(form.a(i, Expr(step) * 2 + part) * float_of(form.b(step, j), part), {step, part});
      },
      is_rounded ? "C.sums" : "C");
  form.result = form.sums;
  if (is_rounded) {
    form.result = compute({shape.m, shape.n}, [&](Expr i, Expr j) { return cast(types.c, form.sums(i, j)); }, "C");
  }
  form.copies_a = form.copies_b = form.vectorizes_n_only = true;
  form.registers = pairs ? 2 : 0;
  return form;
}

Schedule schedule_convert(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  std::vector<std::string> panels{"float32"};
  if (workload.type("dtype") == kBFloat16 && workload.size("k") > 1) panels.emplace_back("pairs");
  const bool pairs = t.choose("panels_b", panels) == "pairs";
  return schedule_matmul(t, make_form(workload, definition, pairs), definition, target);
}

std::vector<Config> convert_seeds(const Workload& workload, const Target& target) {
  MatmulShape shape = matmul_shape(workload);
  shape.type = kFloat32;
  shape.ta = shape.tb = false;
  return matmul_cpu_seeds(matmul_convert_template(), workload, shape, target);
}

std::string why_not(const Workload& workload, const Target&) {
  const ir::Type type = workload.type("dtype");
  return type == kFloat16 || type == kBFloat16 ? "" : "it needs float16 or bfloat16";
}

}  // namespace

Template matmul_convert_template() {
  return {"matmul.convert", 1, {DeviceKind::kCpu}, schedule_convert, convert_seeds, why_not};
}

}  // namespace nestwright
