#include "templates/sketch/gpu/gpu_seeds.h"

#include <algorithm>
#include <bit>

#include "templates/framework/space/completion.h"
#include "templates/loops/divide.h"
#include "templates/sketch/gpu/block_tile.h"
#include "templates/sketch/rewrites/merge_axes.h"
#include "templates/sketch/seeds/stage_seed.h"

namespace nestwright {
namespace {

constexpr std::size_t kGpuSeeds = 12;

/// Points of a block, and of each thread, along the axes of threadIdx.x and y.
struct SeedBlock {
  std::int64_t x, y, thread_x, thread_y;
};

/// From large to small: the more a thread has, the less it reads for a multiply-add.
constexpr SeedBlock kSeedBlocks[] = {{128, 128, 8, 8}, {64, 128, 4, 8}, {64, 64, 4, 4},
                                     {32, 64, 4, 4},   {32, 32, 2, 2},  {32, 8, 1, 1}};

/// Tiles of points that read a tensor across its rows: sides, threads, lanes of what is fetched and stored, and
/// padding.
struct SeedPoints {
  std::int64_t side, threads_x, threads_y, fetch_lanes, store_lanes, padding;
};
constexpr SeedPoints kSeedPoints[] = {{64, 16, 16, 4, 1, 4}, {32, 32, 8, 1, 1, 1}, {32, 8, 32, 1, 1, 1},
                                      {64, 32, 16, 4, 1, 4}, {32, 8, 32, 1, 4, 1}, {64, 16, 16, 4, 4, 1}};

KnobValue split_of(std::int64_t extent, std::int64_t of_block, std::int64_t elements) {
  elements = std::min(elements, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(extent))));
  const std::int64_t blocks = ceil_div(extent, std::max(of_block, elements));
  // Short axes get blocks of equal size, long ones powers of two.
  const bool is_short = extent <= 256;
  const std::int64_t threads =
      is_short ? ceil_div(ceil_div(extent, blocks), elements) : std::max<std::int64_t>(1, of_block / elements);
  return {ceil_div(extent, threads * elements), threads, elements};
}

std::vector<StageSeed> tile_seeds(const StageAnalysis& stage, const Target& target) {
  const BlockTileShape shape = block_tile_shape(stage);
  const auto extent = [&](int axis) { return stage.extents[static_cast<std::size_t>(axis)]; };
  const int x = shape.tiled.back(), y = shape.tiled.size() > 1 ? shape.tiled[shape.tiled.size() - 2] : -1;
  std::vector<SeedBlock> blocks(std::begin(kSeedBlocks), std::end(kSeedBlocks));
  const auto fills = [&](const SeedBlock& block) {
    const std::int64_t of_block = std::min(block.x, extent(x)) * (y < 0 ? 1 : std::min(block.y, extent(y)));
    return stage.points() / of_block >= target.multiprocessors;
  };
  if (std::none_of(blocks.begin(), blocks.end(), fills)) std::reverse(blocks.begin(), blocks.end());
  std::stable_partition(blocks.begin(), blocks.end(), fills);
  std::vector<StageSeed> seeds;
  for (const SeedBlock& block : blocks) {
    for (const bool plain : {false, true}) {
      StageSeed& seed = seeds.emplace_back();
      seed = {{"parts", "1"},
              {"form", "tile"},
              {"staging", plain && block.thread_x == 1 ? "none" : "shared"},
              {"tile_" + std::to_string(x), split_of(extent(x), block.x, block.thread_x)},
              {"strips", 1},
              {"block_k", plain ? 16 : 8},
              {"unroll_k", plain ? 4 : 8},
              {"unroll_window", 1},
              {"stages", plain ? 1 : 2},
              {"padding", 4},
              {"store_lanes", 4}};
      if (y >= 0) seed.emplace_back("tile_" + std::to_string(y), split_of(extent(y), block.y, block.thread_y));
      if (shape.tiled.size() == 3) {
        // As many rows as give the block the points that it would have along a wide axis.
        const std::int64_t rows = std::max<std::int64_t>(1, block.x / extent(x));
        seed.emplace_back("tile_" + std::to_string(shape.tiled.front()),
                          split_of(extent(shape.tiled.front()), rows, 1));
      }
      for (std::size_t i = 0; i < stage.accesses.size(); ++i) seed.emplace_back("fetch_lanes_" + std::to_string(i), 4);
    }
  }
  return seeds;
}

/// The partial configurations of a stage of points, first in tiles (transposed_tile), then without them.
std::vector<StageSeed> with_tiles_of_points(const StageAnalysis& stage, const std::vector<StageSeed>& plain) {
  std::vector<StageSeed> seeds = plain;
  for (std::size_t n = 0; n < seeds.size(); ++n) {
    const SeedPoints& tile = kSeedPoints[n % std::size(kSeedPoints)];
    const StageSeed knobs{{"staging", "shared"},         {"tile_x", tile.side},
                          {"tile_y", tile.side},         {"threads_x", tile.threads_x},
                          {"threads_y", tile.threads_y}, {"store_lanes", tile.store_lanes},
                          {"padding", tile.padding}};
    seeds[n].insert(seeds[n].end(), knobs.begin(), knobs.end());
    for (std::size_t i = 0; i < stage.accesses.size(); ++i) {
      seeds[n].emplace_back("fetch_lanes_" + std::to_string(i), tile.fetch_lanes);
    }
  }
  for (StageSeed seed : plain) {
    seed.emplace_back("staging", "none");
    seeds.push_back(std::move(seed));
  }
  return seeds;
}

/// Partial configurations of a stage of points, of rows, or of a reduction that threads share. `row`: the longest
/// reduction that is not tiled.
std::vector<StageSeed> row_seeds(const StageAnalysis& stage, std::int64_t row, bool has_rows, const Target& target) {
  const std::int64_t fitting = row >= 8192 ? 512 : row >= 1024 ? 256 : row >= 256 ? 128 : 32;
  const std::int64_t several = fitting > 32 || stage.points() < 4 * target.multiprocessors ? 1 : 4;
  const bool is_divided = stage.is_reduction && stage.points() < target.multiprocessors;
  std::vector<StageSeed> seeds;
  for (const std::int64_t threads : {fitting, 2 * fitting, std::max<std::int64_t>(32, fitting / 2)}) {
    for (const std::int64_t lanes : {4, 1}) {
      seeds.push_back({{"parts", is_divided ? "64" : "1"},
                       {"values", "stored"},
                       {"form", "rows"},
                       {"threads_share", "reduction"},
                       {"time", "threads"},
                       {"threads", has_rows ? threads : std::int64_t{256}},
                       {"threads_x", 32},
                       {"threads_y", threads / 8},
                       {"rows", several},
                       {"lanes", lanes},
                       {"items", threads == fitting ? 1 : 2},
                       {"fan_in", 4},
                       {"unroll", 4}});
    }
  }
  return stage.is_reduction ? seeds : with_tiles_of_points(stage, seeds);
}

}  // namespace

std::vector<Config> generated_gpu_seeds(const Template& t, const Workload& workload, const Target& target) {
  Definition definition = *workload.definition;
  merge_axes(definition);
  const std::vector<StageAnalysis> stages = analyse_stages(create_schedule(definition.outputs()));
  std::int64_t row = 1;
  const auto is_tiled = [](const StageAnalysis& stage) { return is_contraction(stage) && !reads_rows_once(stage); };
  for (const StageAnalysis& stage : stages) row = std::max(row, is_tiled(stage) ? 1 : stage.reduced_points());
  std::vector<std::vector<StageSeed>> stage_seeds;
  for (const StageAnalysis& stage : stages) {
    stage_seeds.push_back(is_tiled(stage) ? tile_seeds(stage, target) : row_seeds(stage, row, row > 1, target));
  }
  std::vector<Config> seeds;
  for (std::size_t i = 0; i < kGpuSeeds; ++i) {
    Config& config = seeds.emplace_back();
    for (std::size_t s = 0; s < stages.size(); ++s) {
      // The stages that divide_reductions makes of it get the same values.
      for (const char* parts : {"", ".rf", ".rf_2"}) {
        set_knobs(config, stages[s].name + parts, stage_seeds[s][i % stage_seeds[s].size()]);
      }
    }
  }
  return complete_seeds(t, workload, target, seeds);
}

}  // namespace nestwright
