#include "templates/matmul/cpu/gemv.h"

#include <algorithm>
#include <string>

#include "templates/framework/completion.h"
#include "templates/matmul/cpu/blocks.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

/// n=1: the matrix is A and the vector B; m=1: the other way around.
struct MatrixVector {
  bool matrix_is_a = true;
  std::int64_t rows = 1;
};

MatrixVector matrix_vector(const MatmulShape& shape) {
  const bool matrix_is_a = shape.n == 1 && !shape.ta;
  return {matrix_is_a, matrix_is_a ? shape.m : shape.n};
}

std::string why_not(const Workload& workload, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  if (!matmul_types(workload.type("dtype")).all_equal()) return "it needs elements of the type of C";
  if (shape.in_tf32) return "it multiplies elements as they are, not rounded to tf32";
  if (shape.batch > 1) return "it needs a single product";
  if (shape.prepares_b) return "it reads B in place";
  const bool in_order = (shape.n == 1 && !shape.ta) || (shape.m == 1 && shape.tb);
  if (!in_order) return "it needs a vector and a matrix that is stored along the reduction";
  const std::int64_t lanes = target.lanes(shape.type);
  if (shape.k < 2 * lanes) return "it needs a reduction of two vectors or more";
  // What is left over would be read element by element, with a branch for each.
  if (shape.k % lanes != 0 && !target.has_masks() && !target.has_fma()) {
    return "it needs a reduction of whole vectors on a CPU without masked loads";
  }
  return {};
}

/// The axis of C's that runs over the rows of the matrix; the other one has a single element.
IterVar row_axis(Stage stage, const MatrixVector& problem) { return stage.axis(problem.matrix_is_a ? 0 : 1); }
IterVar single_axis(Stage stage, const MatrixVector& problem) { return stage.axis(problem.matrix_is_a ? 1 : 0); }

/// Partial sums of `width` lanes apart, of which `sums` is then made; each is a stage at `at`, in registers.
Tensor add_partial_sums(Schedule& s, const Tensor& sums, std::int64_t width) {
  const IterVar lane = s[sums].split(s[sums].loops().back(), factor(width)).second;
  return s.rfactor(sums, lane, 2);
}

Schedule schedule_gemv(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  const MatrixVector problem = matrix_vector(shape);
  const std::int64_t lanes = target.lanes(shape.type);
  const auto at_most = [](std::vector<std::int64_t> values, std::int64_t limit) {
    std::erase_if(values, [&](std::int64_t value) { return value > limit; });
    return values;
  };
  std::vector<std::string> parallel{"none"};
  if (target.threads > 1 && problem.rows > 1) parallel.emplace_back("rows");
  const bool in_parallel = t.choose("parallel", parallel) == "rows";
  const std::int64_t rows = t.define_knob("register_rows", at_most({1, 2, 3, 4, 6, 8, 12, 16}, problem.rows));
  const std::int64_t vectors = t.define_knob("register_vectors", at_most({1, 2, 3, 4, 6, 8}, shape.k / lanes));
  const std::int64_t unroll = t.define_knob("unroll_k", {1, 2, 4});
  const std::int64_t prefetch = t.define_knob("prefetch", {0, 4, 8, 16});
  const std::int64_t blocks = in_parallel ? t.define_knob("blocks", {2, 4, 8, 16}) : 1;
  t.constrain(
      {"register_rows", "register_vectors"},
      [registers = target.vector_registers - spare_registers(target)](std::span<const KnobValue> v) {
        return v[0][0] * v[1][0] + v[1][0] + 1 <= registers;
      },
      "sums and vectors need more vector registers than the target has");
  if (!target.has_fma()) {
    t.constrain(
        {"register_rows", "register_vectors", "unroll_k"},
        [](std::span<const KnobValue> v) { return v[2][0] == 1 || v[0][0] * v[1][0] + v[1][0] <= 9; },
        "unrolled, sums and products of their own do not stay in registers");
  }
  if (!target.has_masks()) {
    t.constrain(
        {"register_rows", "register_vectors"},
        [k = shape.k, lanes, fma = target.has_fma(),
         registers = target.vector_registers - spare_registers(target)](std::span<const KnobValue> v) {
          const bool whole = k % (v[1][0] * lanes) == 0;
          return whole || (fma && k % lanes != 0 && v[0][0] * v[1][0] + 2 * v[1][0] + 2 <= registers);
        },
        "what is left of the reduction needs masks in vector registers, too, or branches where there are none");
  }
  t.constrain(
      {"register_rows", "register_vectors", "unroll_k"},
      [](std::span<const KnobValue> v) { return v[0][0] * v[1][0] * v[2][0] <= 64; },
      "the unrolled loop body has more than 64 multiply-adds");
  if (!target.has_masks() && !target.has_fma()) {
    t.constrain(
        {"register_vectors"}, [lanes, k = shape.k](std::span<const KnobValue> v) { return k % (v[0][0] * lanes) == 0; },
        "what the vectors leave over of the reduction would be read element by element");
  }
  if (in_parallel) {
    t.constrain(
        {"blocks", "register_rows"},
        [all = problem.rows](std::span<const KnobValue> v) { return v[0][0] <= ceil_div(all, v[1][0]); },
        "there are fewer tiles of rows than blocks");
  }

  const Tensor c = definition.args.back();
  Schedule s = create_schedule(c);
  const Tensor total = sums_in_registers(s, c);
  std::vector<Tensor> partial{add_partial_sums(s, total, vectors * lanes)};
  for (std::int64_t width = vectors > 1 ? lanes : lanes / 2; width >= 2; width /= 2) {
    partial.push_back(add_partial_sums(s, total, width));
  }
  auto [tile, row] = s[c].split(row_axis(s[c], problem), factor(rows), Tail::partition());
  s[c].reorder({single_axis(s[c], problem), tile, row});
  s[c].unroll(row);
  if (in_parallel) {
    auto [block, inner] = s[c].split(tile, factor(ceil_div(ceil_div(problem.rows, rows), blocks)));
    s[c].reorder({single_axis(s[c], problem), block, inner, row});
    s[c].parallel(block);
    tile = inner;
  }
  s[total].compute_at(s[c], tile);
  const IterVar last = s[total].loops().back();
  s[total].reorder({single_axis(s[total], problem), last, row_axis(s[total], problem)});
  s[total].unroll(last).unroll(row_axis(s[total], problem));
  for (std::size_t i = partial.size(); i-- > 0;) {
    Stage stage = s[partial[i]];
    stage.set_scope(ir::Scope::kRegister);
    stage.compute_at(s[c], tile);
    const IterVar step = stage.loops().back(), across = row_axis(stage, problem), single = single_axis(stage, problem);
    auto [vector, lane] = split_lanes(stage, stage.axis(2),
                                      i == 0        ? lanes
                                      : vectors > 1 ? lanes >> (i - 1)
                                                    : lanes >> i);
    stage.unroll(across);
    if (i > 0) {
      stage.reorder({single, step, across, vector, lane});
      stage.unroll(step);
      continue;
    }
    auto [step_outer, step_inner] = stage.split(step, factor(unroll), Tail::partition());
    stage.reorder({single, step_outer, step_inner, across, vector, lane});
    stage.unroll(step_inner);
    const Tensor matrix = definition.args[problem.matrix_is_a ? 0 : 1];
    if (prefetch > 0) stage.prefetch(matrix, step_outer, prefetch);
  }
  return s;
}

std::vector<Config> seeds(const Workload& workload, const Target& target) {
  if (!why_not(workload, target).empty()) return {};
  std::vector<std::string> parallel{"none"};
  if (target.threads > 1 && matrix_vector(matmul_shape(workload)).rows > 1) parallel.insert(parallel.begin(), "rows");
  std::vector<Config> wishes;
  for (const auto& [rows, vectors] : {std::pair{4, 2}, {8, 1}, {2, 4}, {4, 4}, {16, 1}, {1, 8}}) {
    for (const std::string& how : parallel) {
      Config wish;
      wish.set("parallel", {}, how);
      wish.set("register_rows", {rows});
      wish.set("register_vectors", {vectors});
      wish.set("unroll_k", {1});
      wish.set("blocks", {target.threads});
      wishes.push_back(std::move(wish));
    }
  }
  return complete_each(matmul_gemv_template(), workload, target, wishes);
}

}  // namespace

Template matmul_gemv_template() {
  return {"matmul.gemv", 2, matmul_operator(), {DeviceKind::kCpu}, schedule_gemv, seeds, why_not};
}

}  // namespace nestwright
