#include "templates/matmul/cpu/split_k.h"

#include <algorithm>
#include <string>

#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/framework/template/parallel_worth.h"
#include "templates/matmul/cpu/blocks.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMinPart = 64;    ///< steps of the reduction: below, the sum of the parts costs too much
constexpr std::int64_t kMaxMissing = 2;  ///< steps by which the last part may be shorter
constexpr std::int64_t kMaxElements = 512 * 512;  ///< of C: above, there is enough to share without
constexpr double kMinProducts = 32 * 32 * 32;     ///< below, starting threads takes longer

/// Numbers of parts, all of them equal or the last one a little shorter.
std::vector<std::int64_t> part_counts(std::int64_t k) {
  std::vector<std::int64_t> counts;
  for (const std::int64_t parts : {2, 3, 4, 6, 8, 12, 16}) {
    const std::int64_t steps = ceil_div(k, parts);
    if (k / parts >= kMinPart && parts * steps - k <= kMaxMissing) counts.push_back(parts);
  }
  return counts;
}

std::string why_not(const Workload& workload, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  if (!matmul_types(workload.type("dtype")).all_equal()) return "it needs elements of the type of C";
  if (shape.in_tf32) return "it multiplies elements as they are, not rounded to tf32";
  if (target.threads < 2) return "it needs two threads or more";
  if (shape.batch > 1) return "it needs a single product";
  if (shape.prepares_b) return "it reads B in place";
  if (part_counts(shape.k).empty()) return "it needs a reduction of two parts of 64 steps or more";
  if (shape.m * shape.n > kMaxElements) return "it needs a result of at most 512 x 512 elements";
  if (shape.products() < kMinProducts) return "it needs work that is worth starting threads";
  return {};
}

/// Schedules C, which is computed in vectors, and `total`, which adds up the parts of each vector in registers.
void schedule_sum(Schedule& s, const Tensor& c, const Tensor& total, const MatmulKnobs& knobs) {
  const int across = knobs.vector_m ? 0 : 1;
  auto [outer, inner] = s[c].split(s[c].axis(across), factor(knobs.vectors * knobs.lanes), Tail::predicate());
  auto [vector, lane] = split_lanes(s[c], inner, knobs.lanes);
  s[c].reorder({s[c].axis(1 - across), outer, vector, lane});
  s[total].compute_at(s[c], outer);
  const IterVar part = s[total].loops().back();
  auto [total_vector, total_lane] = split_lanes(s[total], s[total].axis(across), knobs.lanes);
  s[total].reorder({s[total].axis(1 - across), part, total_vector, total_lane});
}

struct SplitKnobs {
  MatmulKnobs tile;
  std::int64_t parts = 1;
};

SplitKnobs define_knobs(Tuning& t, const MatmulShape& shape, const Target& target) {
  SplitKnobs result;
  MatmulKnobs& knobs = result.tile;
  std::vector<std::string> axes{"n"};
  const std::int64_t lanes = target.lanes(shape.type);
  if (shape.n < lanes && shape.m > shape.n) axes.emplace_back("m");
  knobs.vector_m = t.choose("vector_axis", axes) == "m";
  const std::int64_t row_extent = knobs.vector_m ? shape.n : shape.m;
  const std::int64_t vector_extent = knobs.vector_m ? shape.m : shape.n;
  const std::vector<std::int64_t> counts = part_counts(shape.k);
  const KnobExpr parts = t.define_knob("parts", counts.empty() ? std::vector<std::int64_t>{1} : counts);
  std::vector<std::int64_t> heights, widths;
  for (std::int64_t r = 1; r <= row_extent && fits_registers(r, std::int64_t{1}, target); ++r) heights.push_back(r);
  for (const std::int64_t v : {1, 2, 3, 4, 6, 8}) {
    if ((v - 1) * lanes < vector_extent) widths.push_back(v);
  }
  const KnobExpr rows = t.define_knob("register_rows", heights);
  const KnobExpr vectors = t.define_knob("register_vectors", widths);
  const KnobExpr unroll_k = t.define_knob("unroll_k", {1, 2, 4, 8});
  const KnobExpr blocks = t.define_knob("blocks", {1, 2, 4});
  const KnobExpr row_tiles = ceil_div(row_extent, rows), vector_tiles = ceil_div(vector_extent, vectors * lanes);
  knobs.tiles_n_outer = t.define_reorder("tile_order", {{kAxisM, kAxisN}, {kAxisN, kAxisM}})[0] == kAxisN;
  t.require(
      values_of(rows, vectors, unroll_k),
      [=, strided = knobs.vector_m ? !shape.ta : shape.tb](std::int64_t r, std::int64_t v, std::int64_t unroll) {
        const std::int64_t rest = vector_extent % lanes;
        return stays_in_registers({r, max_vectors(vector_extent, v, lanes, target), unroll, strided, rest > 0,
                                   is_narrower_vector(rest, lanes)},
                                  target);
      },
      "the register tile does not stay in the target's vector registers");
  t.require(shape.k % parts == 0 || unroll_k > kMaxMissing,
            "the condition of a shorter last part stays in the loop that is not unrolled beyond it");
  t.require(
      values_of(blocks, row_tiles, vector_tiles),
      [vector_m = knobs.vector_m](std::int64_t count, std::int64_t of_rows, std::int64_t of_vectors) {
        return count <= (vector_m ? of_vectors : of_rows);
      },
      "there are fewer register tiles than blocks");
  knobs.lanes = lanes;
  knobs.rows = rows;
  knobs.vectors = vectors;
  knobs.unroll_k = unroll_k;
  knobs.row_tiles = knobs.vector_m ? row_tiles : ceil_div(row_tiles, blocks);
  knobs.vector_tiles = knobs.vector_m ? ceil_div(vector_tiles, blocks) : vector_tiles;
  knobs.block_order = {kAxisM, kAxisN};
  knobs.parallel = MatmulKnobs::Parallel::kBatch;
  result.parts = parts;
  return result;
}

Schedule schedule_split_k(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  const auto [knobs, parts] = define_knobs(t, shape, target);
  const Tensor c = definition.args.back();
  Schedule s = create_schedule(c);
  const Tensor sums = sums_in_registers(s, c);
  const IterVar part = s[sums].split(s[sums].reduce_axis(0), factor(ceil_div(shape.k, parts))).first;
  const Tensor partial_sums = s.rfactor(sums, part);
  const Tensor tile = s.cache_write(partial_sums, ir::Scope::kRegister);
  const BlockLoops loops = schedule_blocks(s[partial_sums], knobs, {});
  s[tile].compute_at(s[partial_sums], loops.tile);
  schedule_tile(s[tile], 1, knobs, definition.args[0], definition.args[1]);
  schedule_sum(s, c, sums, knobs);
  return s;
}

std::vector<Config> seeds(const Workload& workload, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  // Every configuration is parallel: none may be the default for little work.
  if (!why_not(workload, target).empty() || !is_worth_parallel_loop(*workload.definition, target)) return {};
  const bool narrow = shape.n < target.lanes(shape.type) && shape.m > shape.n;
  std::vector<Config> partial;
  for (const std::int64_t parts : {2, 4}) {
    for (const std::int64_t vectors : {2, 4}) {
      const std::int64_t rows = (target.vector_registers - spare_registers(target) - vectors) / vectors;
      append(partial, seed_rows({"vector_axis", "parts", "register_vectors", "register_rows", "unroll_k"},
                                {{narrow ? "m" : "n", parts, vectors, narrow ? 1 : rows, narrow ? 1 : 4}}));
    }
  }
  return complete_each(matmul_split_k_template(), workload, target, partial);
}

}  // namespace

Template matmul_split_k_template() {
  return {"matmul.split_k", 2, {DeviceKind::kCpu}, schedule_split_k, seeds, why_not};
}

}  // namespace nestwright
