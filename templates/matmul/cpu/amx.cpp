// The template of bfloat16 and int8 products on tile registers (AMX): C in tiles of 16 x 16, a block of a few of them
// at a time, to which products of tiles of A's and B's words are added.
//
//   for blocks of N, K, M (in some order, one of them parallel):
//     pack a panel of B: words of four bytes or two halves, 16 columns next to each other
//     pack rows of A                                                           (or read them in place)
//     for blocks of tiles:
//       T = 0, or C where the reduction is blocked                             (in tile registers)
//       for k in steps of 16 words: T[x, y] += A.tile[x] * B.tile[y]
//       C = T
//
// A block of x by y tiles takes x*y + x + y of the eight registers. The end of a matrix has tiles of fewer rows and
// columns; along the reduction, packed words are padded to 16 with zeros.
#include <algorithm>

#include "nestwright/error.h"
#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/candidates.h"
#include "templates/matmul/cpu/knobs.h"
#include "templates/matmul/cpu/packed_words.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

constexpr std::int64_t kTileSize = 16;  ///< rows, columns and words of a tile
constexpr std::int64_t kRegisters = 8;  ///< for tiles

WordKind kind_for(const Workload& workload) {
  const ir::Type type = workload.type("dtype");
  if (type == kBFloat16) return {ir::Intrinsic::kDotBF16, 2, false, kTileSize};
  return {type == kInt8 ? ir::Intrinsic::kDotS8S8 : ir::Intrinsic::kDotU8S8, 4, false, kTileSize};
}

struct AmxKnobs {
  bool packs_a = false, packs_whole_b = false, prepares_b = false;
  int parallel = -1;                        ///< of MatmulAxis; -1: none
  std::int64_t tiles_m = 1, tiles_n = 1;    ///< of a block of registers
  std::int64_t blocks_m = 1, blocks_n = 1;  ///< of such blocks
  std::int64_t k_block = 0;                 ///< words; 0: not blocked
  std::vector<int> order;                   ///< of MatmulAxis, outermost first
  bool n_outer = false;                     ///< within a block of both, tiles of N outside those of M
};

/// Candidates for the tiles of a block of registers along an axis of `tiles` tiles, the best guess first.
std::vector<std::int64_t> tile_counts(std::int64_t tiles) { return up_to({2, 1, 3}, tiles); }

AmxKnobs define_knobs(Tuning& t, const MatmulForm& form, const Target& target) {
  const MatmulShape& shape = form.shape;
  AmxKnobs knobs;
  knobs.packs_a = t.choose("pack_a", form.copies_a ? std::vector<std::string>{"block"}
                                                   : std::vector<std::string>{"no", "block"}) == "block";
  const std::string pack_b = t.choose(
      "pack_b", shape.prepares_b ? std::vector<std::string>{"prepared"} : std::vector<std::string>{"block", "whole"});
  knobs.prepares_b = pack_b == "prepared";
  knobs.packs_whole_b = pack_b == "whole" || knobs.prepares_b;
  const std::int64_t k_tiles = shape.k / kTileSize;
  const bool blocked = t.choose("reduction", k_tiles < 8 ? std::vector<std::string>{"full"}
                                                         : std::vector<std::string>{"full", "blocked"}) == "blocked";
  std::vector<std::string> parallel{"none"};
  if (target.threads > 1) {
    if (shape.m > kTileSize) parallel.emplace_back("m");
    if (shape.n > kTileSize) parallel.emplace_back("n");
  }
  const std::string in_parallel = t.choose("parallel", parallel);
  knobs.parallel = in_parallel == "m" ? kAxisM : in_parallel == "n" ? kAxisN : -1;

  const std::int64_t rows = ceil_div(shape.m, kTileSize), columns = ceil_div(shape.n, kTileSize);
  const KnobExpr tiles_m = t.define_knob("tiles_m", tile_counts(rows));
  const KnobExpr tiles_n = t.define_knob("tiles_n", tile_counts(columns));
  const KnobExpr blocks_m = t.define_knob("block_m", powers_up_to(rows));
  const KnobExpr blocks_n = t.define_knob("block_n", powers_up_to(columns));
  knobs.tiles_m = tiles_m;
  knobs.tiles_n = tiles_n;
  knobs.blocks_m = blocks_m;
  knobs.blocks_n = blocks_n;
  if (blocked) {
    std::vector<std::int64_t> words;
    for (const std::int64_t parts : {2, 3, 4, 8}) words.push_back(ceil_div(k_tiles, parts) * kTileSize);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    knobs.k_block = t.define_knob("block_k", words);
  }
  std::vector<std::vector<int>> orders{{kAxisN, kAxisM}, {kAxisM, kAxisN}};
  if (blocked) orders = {{kAxisN, kAxisK, kAxisM}, {kAxisM, kAxisN, kAxisK}, {kAxisN, kAxisM, kAxisK}};
  const KnobValue order = t.define_reorder("block_order", orders);
  knobs.order.assign(order.begin(), order.end());
  knobs.n_outer = t.define_reorder("tile_order", {{kAxisN, kAxisM}, {kAxisM, kAxisN}})[0] == kAxisN;

  t.require(tiles_m * tiles_n + tiles_m + tiles_n <= kRegisters,
            "the tiles of C, A and B are more than the eight registers");
  t.require(tiles_m * blocks_m <= rows || blocks_m == 1, "a block is larger than the matrix");
  t.require(tiles_n * blocks_n <= columns || blocks_n == 1, "a block is larger than the matrix");
  return knobs;
}

/// C's loops over blocks, and the innermost one over blocks of registers.
struct Blocks {
  std::vector<IterVar> loops;
  std::vector<int> order;
  IterVar tile;
  /// Where a panel along `axis` is packed: in the innermost loop over its blocks or over the reduction's.
  IterVar panel_of(int axis) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] == axis || order[i] == kAxisK) at = i;
    }
    return loops[at];
  }
};

Blocks schedule_blocks(Stage c, const AmxKnobs& knobs, const IterVar& k_blocks) {
  const auto cut = [&](const IterVar& axis, std::int64_t tiles, std::int64_t blocks) {
    const auto [block, inside] = c.split(axis, factor(tiles * kTileSize), Tail::partition());
    const auto [tile, element] = c.split(inside, factor(kTileSize), Tail::partition());
    const auto [outer, inner] = c.split(block, factor(blocks));
    c.unroll(tile);
    return std::array{outer, inner, tile, element};
  };
  const auto m = cut(c.axis(0), knobs.tiles_m, knobs.blocks_m), n = cut(c.axis(1), knobs.tiles_n, knobs.blocks_n);
  const IterVar by_axis[] = {m[0], n[0], k_blocks};
  Blocks blocks{.order = knobs.order};
  for (const int axis : knobs.order) blocks.loops.push_back(by_axis[axis]);
  std::vector<IterVar> all = blocks.loops;
  all.insert(all.end(), {knobs.n_outer ? n[1] : m[1], knobs.n_outer ? m[1] : n[1], m[2], n[2], m[3], n[3]});
  blocks.tile = knobs.n_outer ? m[1] : n[1];
  c.reorder(all);
  for (std::size_t i = 0; i < blocks.order.size(); ++i) {
    if (blocks.order[i] == knobs.parallel) c.parallel(blocks.loops[i]);
  }
  return blocks;
}

/// Splits rows or columns of a stage into tiles. The loop over tiles is unrolled, so that each tile has a constant
/// register number.
IterVar split_tiles(Stage stage, const IterVar& axis, std::vector<IterVar>& tiles) {
  const auto [tile, element] = stage.split(axis, factor(kTileSize), Tail::partition());
  stage.unroll(tile);
  tiles.push_back(tile);
  return element;
}

void schedule_loads(Schedule& s, const Tensor& from, const Tensor& sums, const IterVar& at, int axis) {
  const Tensor loaded = s.cache_read(from, ir::Scope::kTile, {sums});
  s[loaded].compute_at(s[sums], at);
  std::vector<IterVar> order;
  const IterVar along = s[loaded].axis(axis), across = s[loaded].axis(1 - axis);
  const IterVar element = split_tiles(s[loaded], along, order);
  order.insert(order.end(), {axis == 0 ? element : across, axis == 0 ? across : element});
  s[loaded].reorder(order);
}

Schedule schedule_amx(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  MatmulForm form = make_word_form(workload, definition, kind_for(workload));
  const AmxKnobs knobs = define_knobs(t, form, target);
  const Tensor c = take_result(form, definition);
  Schedule s = create_schedule(c);
  IterVar k_blocks;
  Tensor sums;
  if (knobs.k_block > 0) {
    k_blocks = s[c].split(s[c].reduce_axis(0), factor(knobs.k_block), Tail::partition()).first;
    sums = s.cache_write(c, ir::Scope::kTile, k_blocks);
  } else {
    sums = s.cache_write(c, ir::Scope::kTile);
  }
  const Blocks blocks = schedule_blocks(s[c], knobs, k_blocks);
  s[sums].compute_at(s[c], blocks.tile);

  Tensor a = form.a;
  if (knobs.packs_a) {
    a = s.cache_read(form.a, ir::Scope::kGlobal, {sums});
    s[form.a].compute_inline();
    s[a].compute_at(s[c], blocks.panel_of(kAxisM));
    s[a].vectorize(s[a].split(s[a].axis(1), factor(kTileSize)).second);
  }
  const Tensor b = s.cache_read(form.b, ir::Scope::kGlobal, {sums});
  s[form.b].compute_inline();
  const std::vector<IterVar> panel = s.transform_layout(b, [](std::span<const Expr> axes) {
    return std::vector<Expr>{axes[1] / Expr(kTileSize), axes[0], axes[1] % Expr(kTileSize)};
  });
  s[b].vectorize(panel[2]);
  if (knobs.packs_whole_b) {
    if (knobs.prepares_b) s[b].prepare();
    if (knobs.parallel >= 0) s[b].parallel(panel[0]);
  } else {
    s[b].compute_at(s[c], blocks.panel_of(kAxisN));
  }

  const IterVar k = s[sums].loops().back();
  std::vector<IterVar> order;
  const auto [k_tile, word] = s[sums].split(k, factor(kTileSize));
  order.push_back(k_tile);
  const IterVar row = split_tiles(s[sums], s[sums].axis(0), order),
                column = split_tiles(s[sums], s[sums].axis(1), order);
  order.insert(order.end(), {row, word, column});
  s[sums].reorder(order);
  schedule_loads(s, a, sums, k_tile, 0);
  schedule_loads(s, b, sums, k_tile, 1);
  if (!knobs.packs_a) s[form.a].compute_inline();
  return s;
}

std::vector<Config> amx_seeds(const Workload& workload, const Target& target) {
  const MatmulShape shape = word_shape(workload, kind_for(workload));
  const std::int64_t columns = std::max<std::int64_t>(1, target.l2_bytes / 2 / (4 * kTileSize * shape.k));
  const std::vector<SeedValue> packs =
      shape.prepares_b ? std::vector<SeedValue>{"prepared"} : std::vector<SeedValue>{"block", "whole"};
  std::vector<Config> partial;
  for (const std::int64_t tiles_m : {2, 1}) {
    append(partial, seed_product({{"tiles_m", {tiles_m}},
                                  {"parallel", {target.threads > 1 ? "n" : "none", "none"}},
                                  {"pack_a", {"no"}},
                                  {"pack_b", packs},
                                  {"tiles_n", {2}},
                                  {"block_m", {ceil_div(shape.m, kTileSize * tiles_m)}},
                                  {"block_n", {ceil_div(columns, 2)}},
                                  {"block_order", {KnobValue{kAxisN, kAxisM}}}}));
  }
  std::vector<Config> seeds = complete_each(matmul_amx_template(), workload, target, partial);
  if (seeds.empty()) throw InternalError("the template matmul.amx has no seed for " + workload.str());
  return seeds;
}

std::string why_not(const Workload& workload, const Target& target) {
  const ir::Type type = workload.type("dtype");
  const bool is_bytes = type == kInt8 || type == kUInt8;
  const bool serves =
      (type == kBFloat16 && target.has(CpuFeature::kAmxBf16)) || (is_bytes && target.has(CpuFeature::kAmxInt8));
  return serves ? "" : "it needs bfloat16 or bytes, and a CPU with AMX for them";
}

}  // namespace

Template matmul_amx_template() { return {"matmul.amx", 1, {DeviceKind::kCpu}, schedule_amx, amx_seeds, why_not}; }

}  // namespace nestwright
