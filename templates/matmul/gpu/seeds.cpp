#include <algorithm>
#include <cmath>

#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/matmul/gpu/register_tiles.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

/// Rows and columns of a block, and how many of them a thread has.
struct Block {
  std::int64_t m, n, of_thread_m, of_thread_n;
};

/// Blocks from large to small: the more a thread has, the less it reads for a multiply-add.
constexpr Block kBlocks[] = {{128, 128, 8, 8}, {128, 64, 8, 4}, {64, 128, 4, 8}, {64, 64, 4, 4}, {32, 64, 4, 4},
                             {32, 32, 2, 2},   {16, 16, 1, 1},  {1, 128, 1, 1},  {128, 1, 1, 1}};
constexpr std::int64_t kLargeBlock = 64;  ///< rows and columns from which strips and large slices pay

double blocks_of(const Block& block, const MatmulShape& shape) {
  return static_cast<double>(shape.batch) * static_cast<double>(ceil_div(shape.m, block.m)) *
         static_cast<double>(ceil_div(shape.n, block.n));
}

KnobValue split_of(std::int64_t extent, std::int64_t of_block, std::int64_t of_thread, bool strips) {
  const std::int64_t runs = strips && of_thread > 4 ? 2 : 1;
  return {ceil_div(extent, of_block), runs, of_block / of_thread, of_thread / runs};
}

std::vector<Config> seeds_of(const Block& block, const MatmulShape& shape, std::int64_t parts, bool plain) {
  const bool is_large = std::min(block.m, block.n) >= kLargeBlock;
  return seed_product({{"staging", {"shared"}},
                       {"reduction", {parts > 1 ? "parts" : "whole"}},
                       {"parts", {parts}},
                       {"tile_m", {split_of(shape.m, block.m, block.of_thread_m, !plain)}},
                       {"tile_n", {split_of(shape.n, block.n, block.of_thread_n, !plain)}},
                       {"block_k", {is_large ? 8 : 16}},
                       {"unroll_k", {is_large ? 8 : 4}},
                       {"vector_a", {4}},
                       {"vector_b", {4}},
                       {"vector_c", {4}},
                       {"order_a", {"steps"}},
                       {"order_b", {"steps"}},
                       {"padding", {4}},
                       {"fragments", {plain ? "no" : "yes"}},
                       {"double_buffer", {plain ? "no" : "yes"}},
                       {"blocks_x", {"n"}}});
}

}  // namespace

std::vector<Config> matmul_gpu_seeds(const Workload& workload, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  std::vector<Block> order(std::begin(kBlocks), std::end(kBlocks));
  // The largest blocks of which there are enough for the device, then those that leave some of it idle.
  const auto missing = [&](const Block& block) { return target.multiprocessors / blocks_of(block, shape); };
  const auto fills = [&](const Block& block) { return missing(block) <= 1; };
  if (std::none_of(order.begin(), order.end(), fills)) std::reverse(order.begin(), order.end());
  std::stable_partition(order.begin(), order.end(), fills);
  // If C is a vector, blocks of a single row or column come first in any case.
  const auto in_a_row = [&](const Block& block) { return shape.m == 1 ? block.m == 1 : shape.n == 1 && block.n == 1; };
  std::stable_partition(order.begin(), order.end(), in_a_row);
  std::vector<Config> seeds;
  for (const Block& block : order) {
    if (missing(block) > 1) {
      append(seeds, seeds_of(block, shape, static_cast<std::int64_t>(std::ceil(missing(block))), false));
    }
    for (const bool plain : {false, true}) append(seeds, seeds_of(block, shape, 1, plain));
  }
  // A product with a vector reads no element of the matrix twice, so its best block reads in place, too.
  const bool is_vector = shape.m == 1 || shape.n == 1;
  append(seeds, seeds_of(is_vector ? order.front() : order.back(), shape, 1, true));
  seeds.back().set("staging", {}, "none");
  return complete_seeds(matmul_gpu_template(), workload, target, seeds);
}

}  // namespace nestwright
