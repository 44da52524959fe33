#include "templates/matmul/cpu/gemv.h"

#include <algorithm>
#include <string>

#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/candidates.h"
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

/// The axis of C that runs over the rows of the matrix; the other one has a single element.
IterVar row_axis(Stage stage, const MatrixVector& problem) { return stage.axis(problem.matrix_is_a ? 0 : 1); }
IterVar single_axis(Stage stage, const MatrixVector& problem) { return stage.axis(problem.matrix_is_a ? 1 : 0); }

/// Adds a stage of `width` partial sums, each of elements `width` apart, which `sums` then adds up.
Tensor add_partial_sums(Schedule& s, const Tensor& sums, std::int64_t width) {
  const IterVar lane = s[sums].split(s[sums].loops().back(), factor(width)).second;
  return s.rfactor(sums, lane, 2);
}

struct GemvKnobs {
  bool in_parallel = false;
  std::int64_t lanes = 1, rows = 1, vectors = 1, unroll_k = 1, prefetch = 0, blocks = 1;
};

void require_registers(Tuning& t, const KnobExpr& rows, const KnobExpr& vectors, const KnobExpr& unroll_k,
                       const MatmulShape& shape, const Target& target) {
  const std::int64_t lanes = target.lanes(shape.type), k = shape.k;
  const std::int64_t registers = target.vector_registers - spare_registers(target);
  t.require(rows * vectors + vectors + 1 <= registers,
            "sums and vectors need more vector registers than the target has");
  if (!target.has_fma()) {
    t.require(rows * vectors + vectors <= 9 || unroll_k == 1,
              "unrolled, sums and products of their own do not stay in registers");
  }
  if (!target.has_masks()) {
    const bool may_mask = target.has_fma() && k % lanes != 0;
    t.require((rows * vectors + 2 * vectors + 2 <= registers && may_mask) || k % (vectors * lanes) == 0,
              "what is left of the reduction needs masks in vector registers, too, or branches where there are none");
  }
  t.require(rows * vectors * unroll_k <= 64, "the unrolled loop body has more than 64 multiply-adds");
  if (!target.has_masks() && !target.has_fma()) {
    t.require(k % (vectors * lanes) == 0,
              "what the vectors leave over of the reduction would be read element by element");
  }
}

GemvKnobs define_knobs(Tuning& t, const MatmulShape& shape, const MatrixVector& problem, const Target& target) {
  GemvKnobs knobs{.lanes = target.lanes(shape.type)};
  std::vector<std::string> parallel{"none"};
  if (target.threads > 1 && problem.rows > 1) parallel.emplace_back("rows");
  knobs.in_parallel = t.choose("parallel", parallel) == "rows";
  const KnobExpr rows = t.define_knob("register_rows", up_to({1, 2, 3, 4, 6, 8, 12, 16}, problem.rows));
  const KnobExpr vectors = t.define_knob("register_vectors", up_to({1, 2, 3, 4, 6, 8}, shape.k / knobs.lanes));
  const KnobExpr unroll_k = t.define_knob("unroll_k", {1, 2, 4});
  knobs.prefetch = t.define_knob("prefetch", {0, 4, 8, 16});
  const KnobExpr blocks = knobs.in_parallel ? t.define_knob("blocks", {2, 4, 8, 16}) : KnobExpr(1);
  require_registers(t, rows, vectors, unroll_k, shape, target);
  if (knobs.in_parallel) {
    t.require(blocks <= ceil_div(problem.rows, rows), "there are fewer tiles of rows than blocks");
  }
  knobs.rows = rows;
  knobs.vectors = vectors;
  knobs.unroll_k = unroll_k;
  knobs.blocks = blocks;
  return knobs;
}

/// Splits and orders the loops of `c`, which has the sums of a tile of rows. Returns the loop over tiles.
IterVar schedule_rows(Stage c, const MatrixVector& problem, const GemvKnobs& knobs) {
  const IterVar single = single_axis(c, problem);
  auto [tile, row] = c.split(row_axis(c, problem), factor(knobs.rows), Tail::partition());
  c.reorder({single, tile, row});
  c.unroll(row);
  if (!knobs.in_parallel) return tile;
  const std::int64_t tiles = ceil_div(problem.rows, knobs.rows);
  auto [block, inner] = c.split(tile, factor(ceil_div(tiles, knobs.blocks)));
  c.reorder({single, block, inner, row});
  c.parallel(block);
  return inner;
}

/// A stage of partial sums in vectors of `lanes`; the first one reads the matrix.
void schedule_partial_sums(Stage stage, std::int64_t lanes, const MatrixVector& problem, bool is_first,
                           const Tensor& matrix, const GemvKnobs& knobs) {
  const IterVar step = stage.loops().back(), across = row_axis(stage, problem), single = single_axis(stage, problem);
  auto [vector, lane] = split_lanes(stage, stage.axis(2), lanes);
  stage.unroll(across);
  if (!is_first) {
    stage.reorder({single, step, across, vector, lane});
    stage.unroll(step);
    return;
  }
  auto [step_outer, step_inner] = stage.split(step, factor(knobs.unroll_k), Tail::partition());
  stage.reorder({single, step_outer, step_inner, across, vector, lane});
  stage.unroll(step_inner);
  if (knobs.prefetch > 0) stage.prefetch(matrix, step_outer, knobs.prefetch);
}

Schedule schedule_gemv(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  const MatrixVector problem = matrix_vector(shape);
  const GemvKnobs knobs = define_knobs(t, shape, problem, target);
  const Tensor c = definition.args.back();
  Schedule s = create_schedule(c);
  const Tensor total = sums_in_registers(s, c);
  std::vector<Tensor> partial{add_partial_sums(s, total, knobs.vectors * knobs.lanes)};
  std::vector<std::int64_t> lanes{knobs.lanes};
  for (std::int64_t width = knobs.vectors > 1 ? knobs.lanes : knobs.lanes / 2; width >= 2; width /= 2) {
    partial.push_back(add_partial_sums(s, total, width));
    lanes.push_back(width);
  }
  const IterVar tile = schedule_rows(s[c], problem, knobs);
  s[total].compute_at(s[c], tile);
  const IterVar last = s[total].loops().back();
  s[total].reorder({single_axis(s[total], problem), last, row_axis(s[total], problem)});
  s[total].unroll(last).unroll(row_axis(s[total], problem));
  for (std::size_t i = partial.size(); i-- > 0;) {
    Stage stage = s[partial[i]];
    stage.set_scope(ir::Scope::kRegister);
    stage.compute_at(s[c], tile);
    schedule_partial_sums(stage, lanes[i], problem, i == 0, definition.args[problem.matrix_is_a ? 0 : 1], knobs);
  }
  return s;
}

std::vector<Config> seeds(const Workload& workload, const Target& target) {
  if (!why_not(workload, target).empty()) return {};
  std::vector<SeedValue> parallel{"none"};
  if (target.threads > 1 && matrix_vector(matmul_shape(workload)).rows > 1) parallel.insert(parallel.begin(), "rows");
  std::vector<Config> partial;
  for (const auto& [rows, vectors] : {std::pair{4, 2}, {8, 1}, {2, 4}, {4, 4}, {16, 1}, {1, 8}}) {
    append(partial, seed_product({{"parallel", parallel},
                                  {"register_rows", {rows}},
                                  {"register_vectors", {vectors}},
                                  {"unroll_k", {1}},
                                  {"blocks", {target.threads}}}));
  }
  return complete_each(matmul_gemv_template(), workload, target, partial);
}

}  // namespace

Template matmul_gemv_template() { return {"matmul.gemv", 2, {DeviceKind::kCpu}, schedule_gemv, seeds, why_not}; }

}  // namespace nestwright
