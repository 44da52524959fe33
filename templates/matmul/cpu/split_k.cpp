#include "templates/matmul/cpu/split_k.h"

#include <algorithm>
#include <string>

#include "templates/framework/completion.h"
#include "templates/framework/parallel_worth.h"
#include "templates/matmul/cpu/blocks.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

constexpr std::int64_t kLeastPart = 64;            ///< steps of the reduction: below, the sum of the parts is too dear
constexpr std::int64_t kMostMissing = 2;           ///< steps by which the last part may be shorter
constexpr std::int64_t kMostElements = 512 * 512;  ///< of C: above, there is enough to share without
constexpr double kLeastProducts = 32 * 32 * 32;    ///< below, starting threads takes longer

/// Numbers of parts, all of them equal or the last one a little shorter.
std::vector<std::int64_t> part_counts(std::int64_t k) {
  std::vector<std::int64_t> counts;
  for (const std::int64_t parts : {2, 3, 4, 6, 8, 12, 16}) {
    const std::int64_t steps = ceil_div(k, parts);
    if (k / parts >= kLeastPart && parts * steps - k <= kMostMissing) counts.push_back(parts);
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
  if (shape.m * shape.n > kMostElements) return "it needs a result of at most 512 x 512 elements";
  if (shape.products() < kLeastProducts) return "it needs work that is worth starting threads";
  return {};
}

/// C from `total`, which sums the parts: vectors of it, each summed in registers.
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

Schedule schedule_split_k(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  MatmulKnobs knobs;
  std::vector<std::string> axes{"n"};
  if (shape.n < target.lanes(shape.type) && shape.m > shape.n) axes.emplace_back("m");
  knobs.vector_m = t.choose("vector_axis", axes) == "m";
  knobs.lanes = target.lanes(shape.type);
  const std::int64_t row_extent = knobs.vector_m ? shape.n : shape.m;
  const std::int64_t vector_extent = knobs.vector_m ? shape.m : shape.n;
  const std::vector<std::int64_t> counts = part_counts(shape.k);
  const std::int64_t parts = t.define_knob("parts", counts.empty() ? std::vector<std::int64_t>{1} : counts);
  std::vector<std::int64_t> rows, vectors;
  for (std::int64_t r = 1; r <= row_extent && fits_registers(r, 1, target); ++r) rows.push_back(r);
  for (const std::int64_t v : {1, 2, 3, 4, 6, 8}) {
    if ((v - 1) * knobs.lanes < vector_extent) vectors.push_back(v);
  }
  knobs.rows = t.define_knob("register_rows", rows);
  knobs.vectors = t.define_knob("register_vectors", vectors);
  knobs.unroll_k = t.define_knob("unroll_k", {1, 2, 4, 8});
  const std::int64_t blocks = t.define_knob("blocks", {1, 2, 4});
  knobs.row_tiles = ceil_div(ceil_div(row_extent, knobs.rows), knobs.vector_m ? 1 : blocks);
  knobs.vector_tiles = ceil_div(ceil_div(vector_extent, knobs.vectors * knobs.lanes), knobs.vector_m ? blocks : 1);
  knobs.block_order = {kAxisM, kAxisN};
  knobs.tiles_n_outer = t.define_reorder("tile_order", {{kAxisM, kAxisN}, {kAxisN, kAxisM}})[0] == kAxisN;
  knobs.parallel = MatmulKnobs::Parallel::kBatch;
  const bool strided = knobs.vector_m ? !shape.ta : shape.tb;
  const std::int64_t rest = vector_extent % knobs.lanes;
  t.constrain(
      {"register_rows", "register_vectors", "unroll_k"},
      [=, lanes = knobs.lanes](std::span<const KnobValue> v) {
        const bool narrow_end = is_narrower_vector(rest, lanes);
        return stays_in_registers(
            {v[0][0], most_vectors(vector_extent, v[1][0], lanes, target), v[2][0], strided, rest > 0, narrow_end},
            target);
      },
      "the register tile does not stay in the target's vector registers");
  t.constrain(
      {"parts", "unroll_k"},
      [k = shape.k](std::span<const KnobValue> v) { return k % v[0][0] == 0 || v[1][0] > kMostMissing; },
      "the condition of a shorter last part stays in the loop that is not unrolled beyond it");
  t.constrain(
      {"blocks", "register_rows", "register_vectors"},
      [=, lanes = knobs.lanes, vector_m = knobs.vector_m](std::span<const KnobValue> v) {
        return v[0][0] <= (vector_m ? ceil_div(vector_extent, v[2][0] * lanes) : ceil_div(row_extent, v[1][0]));
      },
      "there are fewer register tiles than blocks");

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
  // Every configuration is parallel: none is a default of small work.
  if (!why_not(workload, target).empty() || !is_worth_parallel_loop(matmul_operator().define(workload), target))
    return {};
  std::vector<Config> wishes;
  const bool narrow = shape.n < target.lanes(shape.type) && shape.m > shape.n;
  for (const std::int64_t parts : {2, 4}) {
    for (const std::int64_t vectors : {2, 4}) {
      Config wish;
      wish.set("vector_axis", {}, narrow ? "m" : "n");
      wish.set("parts", {parts});
      wish.set("register_vectors", {vectors});
      wish.set("register_rows", {narrow ? 1 : (target.vector_registers - spare_registers(target) - vectors) / vectors});
      wish.set("unroll_k", {narrow ? 1 : 4});
      wishes.push_back(std::move(wish));
    }
  }
  return complete_each(matmul_split_k_template(), workload, target, wishes);
}

}  // namespace

Template matmul_split_k_template() {
  return {"matmul.split_k", 2, matmul_operator(), {DeviceKind::kCpu}, schedule_split_k, seeds, why_not};
}

}  // namespace nestwright
