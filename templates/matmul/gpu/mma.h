// Shared parts of the tensor core templates of matmul: in one, warps multiply fragments that they load into registers
// (mma.sync); in the other, warpgroups of four adjacent warps multiply operands in shared memory (wgmma). Internal to
// templates/matmul.
// Thread rule: plain data and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/gpu/fragment_layout.h"
#include "ir/gpu/swizzle.h"
#include "nestwright/target.h"
#include "templates/matmul/gpu/register_tiles.h"

namespace nestwright {

/// Rows of C in one mma.sync (m16n8k16 and the like), and columns in a pair of them, since that many columns of B are
/// loaded at once.
inline constexpr std::int64_t kMmaTile = 16;
/// Bytes of the reduction steps of one mma.sync, for a row of A.
inline constexpr std::int64_t kMmaStepBytes = 32;

/// The layout of A or B where it is multiplied: that of the matrix, except that bytes are always K-major.
struct MmaOperand {
  bool along_k;  ///< the matrix is K-major: its rows run along the reduction
  bool rows;     ///< its slices in shared memory are K-major
  /// The padding between rows of a slice, in elements, given that of K-major slices: elements of 4 bytes that are
  /// loaded across rows need twice as much to avoid bank conflicts.
  template <class Int>
  Int padding(const Int& of_rows, ir::Type type) const {
    return !rows && type.bytes() == 4 ? 2 * of_rows : of_rows;
  }
};
std::array<MmaOperand, 2> mma_operands(const Workload& workload);

/// How the rows or columns of C in a block are split: warps, and elements of each. Int is std::int64_t or KnobExpr.
template <class Int>
struct WarpTileOf {
  Int warps = 1, elements = kMmaTile;
  Int of_block() const { return warps * elements; }
  WarpTileOf<std::int64_t> in_run() const { return {warps, elements}; }
};
using WarpTile = WarpTileOf<std::int64_t>;
using WarpTileKnobs = WarpTileOf<KnobExpr>;

enum class MmaKind : std::uint8_t { kWarps, kWarpgroups };

/// Warps of a warpgroup; each has kMmaTile rows of its C.
inline constexpr std::int64_t kWarpgroupWarps = 4;
/// Bytes of a row of a core matrix, whose 8 rows are contiguous in shared memory.
inline constexpr std::int64_t kCoreMatrixRowBytes = 16;

/// Whether a matrix in shared memory is swizzled, given the bytes that a warpgroup reads of each row.
template <class Int>
auto is_swizzled(const Int& row_bytes) {
  return row_bytes % ir::kSwizzledRowBytes == 0;
}

struct MatmulMmaKnobs {
  WarpTile m, n;
  std::int64_t k_block = 16;  ///< steps of the reduction that are fetched at a time
  bool unroll_k = false;
  std::int64_t lanes_a = 1, lanes_b = 1, lanes_c = 1;  ///< of vectors that are fetched and stored
  std::int64_t padding = 0;  ///< elements between rows in shared memory, for kWarps; see MmaOperand
  bool double_buffer = false;
  std::int64_t stages = 2;  ///< slices in shared memory, where double-buffered
  bool n_along_y = false;   ///< blocks of N have blockIdx.y, those of M blockIdx.x
};

MatmulMmaKnobs define_matmul_mma_knobs(Tuning& t, const Workload& workload, const Target& target, MmaKind kind);

/// The form of whole tiles that both templates compute. Replaces the definition's result.
MatmulGpuForm matmul_mma_form(const Workload& workload, Definition& definition, const MatmulMmaKnobs& knobs);

/// Binds the batch, if there is one, and blocks of C to blockIdx.
void bind_blocks(Stage c, const std::vector<IterVar>& batch, IterVar m, const IterVar& n, const MatmulMmaKnobs& knobs);

/// Why a tensor core template that needs at least `min_rows` rows of C cannot serve the workload; empty if it can.
std::string mma_unsupported_reason(const Workload& workload, std::int64_t min_rows, bool has_tf32);

/// Valid configurations from formulas, the best guess first; never empty.
std::vector<Config> matmul_mma_seeds(const Workload& workload, const Target& target);
std::vector<Config> matmul_wgmma_seeds(const Workload& workload, const Target& target);

}  // namespace nestwright
