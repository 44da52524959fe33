#include "templates/loops/vectors.h"

#include <algorithm>
#include <bit>

#include "templates/loops/divide.h"

namespace nestwright {
namespace {

const std::vector<std::int64_t> kBlockCounts{2, 4, 8, 16, 32, 64, 128};

/// Partial results of `t` over `kept`, a reduce loop of it, in vectors: a stage in registers that combines over the
/// other reduce loops. `t` reduces over them in its last loop. `whole_tiles`: iterations of the innermost of the others
/// that need no masks; what is left is taken apart. `streams` as for reduce_in_vectors.
Tensor keep_lanes(Schedule& s, const Tensor& t, const IterVar& kept, std::int64_t lanes, std::int64_t whole_tiles,
                  std::int64_t streams) {
  const Tensor partial = s.rfactor(t, kept, t.rank());
  Stage stage = s[partial];
  stage.set_scope(ir::Scope::kRegister);
  std::vector<IterVar> order;
  for (const IterVar& loop : stage.loops()) {
    if (loop.is_reduce()) order.push_back(loop);
  }
  const std::int64_t steps = order.empty() ? 1 : *ir::as_const_int(order.back().extent());
  if (whole_tiles > 1 && whole_tiles < steps) {
    const auto [outer, inner] = stage.split(order.back(), factor(whole_tiles), Tail::partition());
    order.back() = outer;
    order.push_back(inner);
  } else if (whole_tiles < steps) {
    stage.unroll(order.back());
  }
  const auto [vector, lane] = stage.split(stage.axis(t.rank()), factor(lanes));
  stage.unroll(vector).vectorize(lane);
  if (streams > 1) {
    const IterVar stream = stage.axis(t.rank() - 1);
    stage.unroll(stream);
    order.push_back(stream);
  }
  order.insert(order.end(), {vector, lane});
  stage.reorder(order);
  return partial;
}

}  // namespace

std::int64_t full_lanes(std::int64_t extent, ir::Type type, const Target& target) {
  const auto least = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
  return std::min<std::int64_t>(std::max(1, target.lanes(type)), least);
}

std::int64_t half_lanes(ir::Type type, const Target& target) { return std::max(1, target.lanes(type) / 2); }

std::int64_t max_sums(const Target& target) { return std::max(1, target.vector_registers / 4); }

std::int64_t max_expanded(const Target& target) {
  return target.has_fma() ? std::max(1, target.vector_registers / 8) : 1;
}

VectorTileKnobs define_vectors(Tuning& t, std::int64_t extent, ir::Type type, const Target& target,
                               std::int64_t max_vectors) {
  const std::int64_t lanes = full_lanes(extent, type, target);
  std::vector<std::int64_t> widths{lanes}, counts;
  if (lanes >= 8) widths.push_back(lanes / 2);
  for (std::int64_t count = 1; count <= max_vectors && (count - 1) * widths.back() < extent; count *= 2) {
    counts.push_back(count);
  }
  const VectorTileKnobs tile{t.define_knob("vector_lanes", widths), t.define_knob("vectors", counts)};
  t.require(tile.lanes * (tile.vectors - 1) < extent, "there are vectors that lie wholly past the end");
  return tile;
}

IterVar split_vectors(Stage stage, const IterVar& loop, const VectorTile& tile) {
  const auto [outer, inner] = stage.split(loop, factor(tile.width()), Tail::predicate());
  const auto [vector, lane] = stage.split(inner, factor(tile.lanes));
  stage.unroll(vector).vectorize(lane);
  return outer;
}

std::string choose_parallel(Tuning& t, const Target& target, const std::vector<std::string>& options) {
  return t.choose("parallel", target.threads > 1 ? options : std::vector<std::string>{options.front()});
}

std::pair<IterVar, IterVar> share_loop(Tuning& t, Stage stage, const IterVar& loop) {
  const std::int64_t extent = *ir::as_const_int(loop.extent());
  std::vector<std::int64_t> counts = kBlockCounts;
  std::erase_if(counts, [&](std::int64_t count) { return !is_even_division(extent, count); });
  if (counts.empty()) counts.push_back(extent);
  const std::int64_t blocks = t.define_knob("blocks", counts);
  const auto [block, inside] = stage.split(loop, factor(ceil_div(extent, blocks)), Tail::partition());
  stage.parallel(block);
  return {block, inside};
}

VectorBlocks define_vector_blocks(Tuning& t, std::int64_t extent, const VectorTileKnobs& tile) {
  std::vector<std::int64_t> counts = kBlockCounts;
  std::erase_if(counts, [&](std::int64_t count) { return count > extent; });
  const KnobExpr blocks = t.define_knob("blocks", counts);
  const KnobExpr tiles = ceil_div(extent, tile.width());
  t.require(is_even_division(tiles, blocks), "the tiles do not divide into that many blocks of equal size");
  return {blocks, ceil_div(tiles, blocks) * tile.width()};
}

bool define_streaming(Tuning& t, const Tensor& y, std::int64_t row, const Target& target) {
  const double bytes = static_cast<double>(y.dtype().bytes()) * static_cast<double>(y.buffer()->elements());
  const bool offered = row % target.lanes(y.dtype()) == 0 && bytes > static_cast<double>(target.l2_bytes);
  std::vector<std::string> stores{"cached"};
  if (offered) stores.emplace_back("streaming");
  return t.define_annotate("stores", stores) == "streaming";
}

std::int64_t define_prefetch(Tuning& t, double bytes, const Target& target) {
  const bool offered = bytes > static_cast<double>(target.l2_bytes);
  return t.define_knob("prefetch", offered ? std::vector<std::int64_t>{0, 4, 8, 16, 32} : std::vector<std::int64_t>{0});
}

std::int64_t choose_streams(Tuning& t, std::int64_t extent, std::int64_t unit, double bytes, const Target& target) {
  const bool is_large = bytes > static_cast<double>(target.l2_bytes);
  std::vector<std::string> options{"one"};
  if (is_large && extent % (4 * unit) == 0) options.emplace_back("four");
  if (is_large && extent % (8 * unit) == 0) options.emplace_back("eight");
  const std::string chosen = t.choose("streams", options);
  return chosen == "eight" ? 8 : chosen == "four" ? 4 : 1;
}

std::vector<Tensor> reduce_in_vectors(Schedule& s, const Tensor& t, const IterVar& k, const VectorTile& tile,
                                      std::int64_t streams) {
  std::vector<Tensor> stages;
  const std::int64_t whole_tiles = *ir::as_const_int(k.extent()) / tile.width();
  const IterVar inside = s[t].split(k, factor(tile.width())).second;
  stages.push_back(keep_lanes(s, t, inside, tile.lanes, whole_tiles, streams));
  IterVar left = s[t].loops().back();
  for (std::int64_t lanes = tile.vectors > 1 ? tile.lanes : tile.lanes / 2; lanes > 1; lanes /= 2) {
    stages.push_back(keep_lanes(s, t, s[t].split(left, factor(lanes)).second, lanes, 0, streams));
    left = s[t].loops().back();
  }
  s[t].unroll(left);
  return stages;
}

}  // namespace nestwright
