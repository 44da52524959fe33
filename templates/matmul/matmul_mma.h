// What the parts of the tensor core template of matmul share. Internal to templates/matmul.
// Thread rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/fragments.h"
#include "target/target.h"
#include "templates/matmul/matmul_gpu.h"

namespace nestwright {

/// Rows of C of one product of fragments (mma.sync.m16n8k16 and its like); columns come in pairs of such products,
/// because so many columns of B are loaded at once.
inline constexpr std::int64_t kMmaTile = 16;
/// Bytes of its steps of the reduction.
inline constexpr std::int64_t kMmaStepBytes = 32;

/// A or B as it is multiplied. Halves are multiplied as they lie in the matrix; bytes and tf32 along rows only.
struct MmaOperand {
  bool along_k;  ///< rows of the matrix run along the reduction
  bool rows;     ///< so do those of its slices in shared memory
};
MmaOperand mma_operand(ir::Type type, bool along_k);

/// Rows or columns of C: of a warp, and how many warps a block has next to each other.
struct WarpTile {
  std::int64_t warps = 1, elements = kMmaTile;
  std::int64_t of_block() const { return warps * elements; }
};

struct MatmulMmaKnobs {
  WarpTile m, n;
  std::int64_t k_block = 16;  ///< steps of the reduction that are fetched at a time
  bool unroll_k = false;
  std::int64_t lanes_a = 1, lanes_b = 1, lanes_c = 1;  ///< of vectors that are fetched and stored
  std::int64_t padding = 0;                            ///< elements between rows in shared memory
  bool double_buffer = false;
  bool n_along_y = false;  ///< blocks of N have blockIdx.y, those of M blockIdx.x
};

MatmulMmaKnobs define_matmul_mma_knobs(Tuning& t, const Workload& workload, const Target& target);

/// Valid configurations from formulas, the best guess first; never empty.
std::vector<Config> matmul_mma_seeds(const Workload& workload, const Target& target);

}  // namespace nestwright
