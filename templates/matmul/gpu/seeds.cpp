#include <algorithm>
#include <cmath>

#include "templates/framework/completion.h"
#include "templates/matmul/gpu/register_tiles.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

/// Rows and columns of a block, and how many of them a thread has.
struct Wish {
  std::int64_t m, n, of_thread_m, of_thread_n;
};

/// Blocks from large to small: the more a thread has, the less it reads for a multiply-add.
constexpr Wish kWishes[] = {{128, 128, 8, 8}, {128, 64, 8, 4}, {64, 128, 4, 8}, {64, 64, 4, 4}, {32, 64, 4, 4},
                            {32, 32, 2, 2},   {16, 16, 1, 1},  {1, 128, 1, 1},  {128, 1, 1, 1}};
constexpr std::int64_t kLargeBlock = 64;  ///< rows and columns from which strips and large slices pay

double blocks_of(const Wish& wish, const MatmulShape& shape) {
  return static_cast<double>(shape.batch) * static_cast<double>(ceil_div(shape.m, wish.m)) *
         static_cast<double>(ceil_div(shape.n, wish.n));
}

KnobValue split_of(std::int64_t extent, std::int64_t of_block, std::int64_t of_thread, bool strips) {
  const std::int64_t runs = strips && of_thread > 4 ? 2 : 1;
  return {ceil_div(extent, of_block), runs, of_block / of_thread, of_thread / runs};
}

Config to_config(const Wish& wish, const MatmulShape& shape, std::int64_t parts, bool plain) {
  const bool is_large = std::min(wish.m, wish.n) >= kLargeBlock;
  Config config;
  config.set("staging", {}, "shared");
  config.set("reduction", {}, parts > 1 ? "parts" : "whole");
  config.set("parts", {parts});
  config.set("tile_m", split_of(shape.m, wish.m, wish.of_thread_m, !plain));
  config.set("tile_n", split_of(shape.n, wish.n, wish.of_thread_n, !plain));
  config.set("block_k", {is_large ? 8 : 16});
  config.set("unroll_k", {is_large ? 8 : 4});
  config.set("vector_a", {4});
  config.set("vector_b", {4});
  config.set("vector_c", {4});
  config.set("order_a", {}, "steps");
  config.set("order_b", {}, "steps");
  config.set("padding", {4});
  config.set("fragments", {}, plain ? "no" : "yes");
  config.set("double_buffer", {}, plain ? "no" : "yes");
  config.set("blocks_x", {}, "n");
  return config;
}

}  // namespace

std::vector<Config> matmul_gpu_seeds(const Workload& workload, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  std::vector<Wish> order(std::begin(kWishes), std::end(kWishes));
  // The largest blocks of which there are enough for the device, then those that leave some of it idle.
  const auto missing = [&](const Wish& wish) { return target.multiprocessors / blocks_of(wish, shape); };
  const auto fills = [&](const Wish& wish) { return missing(wish) <= 1; };
  if (std::none_of(order.begin(), order.end(), fills)) std::reverse(order.begin(), order.end());
  std::stable_partition(order.begin(), order.end(), fills);
  // A vector is computed by threads in a row, whatever else.
  const auto in_a_row = [&](const Wish& wish) { return shape.m == 1 ? wish.m == 1 : shape.n == 1 && wish.n == 1; };
  std::stable_partition(order.begin(), order.end(), in_a_row);
  std::vector<Config> wishes;
  for (const Wish& wish : order) {
    if (missing(wish) > 1) {
      wishes.push_back(to_config(wish, shape, static_cast<std::int64_t>(std::ceil(missing(wish))), false));
    }
    for (const bool plain : {false, true}) wishes.push_back(to_config(wish, shape, 1, plain));
  }
  // Nothing of a vector's product is read twice.
  const bool is_vector = shape.m == 1 || shape.n == 1;
  Config direct = to_config(is_vector ? order.front() : order.back(), shape, 1, true);
  direct.set("staging", {}, "none");
  wishes.push_back(std::move(direct));
  return complete_seeds(matmul_gpu_template(), workload, target, wishes);
}

}  // namespace nestwright
