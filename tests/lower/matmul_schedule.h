// Schedules of a matrix product like those of the CPU template, for the tests of both stages of lowering.
// Thread rule: pure functions. Units: extents and tiles are in elements.
#pragma once

#include <cstdint>
#include <string>

#include "nestwright/schedule.h"

namespace nestwright::testing {

struct MatmulVariant {
  std::int64_t m = 127, n = 95, k = 33;
  std::int64_t tile_m = 14, tile_n = 32, lanes = 16;
  std::int64_t block_m = 8, block_n = 4;  ///< tiles in a block
  std::int64_t block_k = 0;               ///< 0: the reduction is not blocked
  std::int64_t unroll_k = 4;
  Tail tail_m = Tail::partition(), tail_n = Tail::predicate(), tail_k = Tail::partition();
  Tail block_tail = Tail::guard();
  bool pack_b = false, pack_a = false;
  int pack_b_at = 1;         ///< 0: root, 1: j0, 2: ko
  bool parallel = false;     ///< over the fused blocks
  bool n_outermost = true;   ///< order of the block loops
  bool in_registers = true;  ///< whether sums are kept in a register tile (cache_write)
  std::int64_t prefetch = 0;

  std::string str() const;
};

struct Matmul {
  Tensor a, b, c;
};
Matmul make_matmul(std::int64_t m, std::int64_t n, std::int64_t k);
Schedule schedule_matmul(const Matmul& op, const MatmulVariant& v);
/// A random variant, sizes included.
MatmulVariant random_variant(std::uint64_t seed);

}  // namespace nestwright::testing
