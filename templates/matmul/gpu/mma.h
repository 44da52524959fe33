// What the tensor core templates of matmul share: warps that multiply what each loads into fragments (mma.sync), and
// warpgroups, four warps next to each other, that multiply what lies in shared memory (wgmma). Internal to
// templates/matmul.
// Thread rule: plain data and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/analysis/fragment_layout.h"
#include "ir/analysis/swizzle.h"
#include "target/target.h"
#include "templates/matmul/gpu/register_tiles.h"

namespace nestwright {

/// Rows of C of one product of fragments (mma.sync.m16n8k16 and its like); columns come in pairs of such products,
/// because so many columns of B are loaded at once.
inline constexpr std::int64_t kMmaTile = 16;
/// Bytes of its steps of the reduction.
inline constexpr std::int64_t kMmaStepBytes = 32;

/// A or B as it is multiplied: as it lies in the matrix, but for bytes, which are multiplied along rows only.
struct MmaOperand {
  bool along_k;  ///< rows of the matrix run along the reduction
  bool rows;     ///< so do those of its slices in shared memory
  /// Elements between rows of a slice, of so many between those that are loaded by rows: what has 4 bytes and is loaded
  /// across its rows needs twice as many to meet no bank of shared memory twice.
  template <class Int>
  Int padding(const Int& of_rows, ir::Type type) const {
    return !rows && type.bytes() == 4 ? 2 * of_rows : of_rows;
  }
};
std::array<MmaOperand, 2> mma_operands(const Workload& workload);

/// Rows or columns of C: of a warp, and how many warps a block has next to each other. Numbers, or knobs.
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
inline constexpr std::int64_t kGroupWarps = 4;
/// Bytes of a row of the matrices that it multiplies, 8 rows of which lie in one piece.
inline constexpr std::int64_t kCoreRowBytes = 16;

/// Tells whether a matrix in shared memory, of whose rows a warpgroup reads so many bytes, is swizzled.
template <class Int>
auto is_swizzled(const Int& row_bytes) {
  return row_bytes % ir::kSwizzledRowBytes == 0;
}

struct MatmulMmaKnobs {
  WarpTile m, n;
  std::int64_t k_block = 16;  ///< steps of the reduction that are fetched at a time
  bool unroll_k = false;
  std::int64_t lanes_a = 1, lanes_b = 1, lanes_c = 1;  ///< of vectors that are fetched and stored
  std::int64_t padding = 0;  ///< elements between rows in shared memory, of kWarps; see MmaOperand
  bool double_buffer = false;
  std::int64_t stages = 2;  ///< slices in shared memory, where double-buffered
  bool n_along_y = false;   ///< blocks of N have blockIdx.y, those of M blockIdx.x
};

MatmulMmaKnobs define_matmul_mma_knobs(Tuning& t, const Workload& workload, const Target& target, MmaKind kind);

/// The form of whole tiles that both compute. Replaces the definition's result.
MatmulGpuForm matmul_mma_form(const Workload& workload, Definition& definition, const MatmulMmaKnobs& knobs);

/// Binds the batch, if there is one, and blocks of C to blockIdx.
void bind_blocks(Stage c, const std::vector<IterVar>& batch, IterVar m, const IterVar& n, const MatmulMmaKnobs& knobs);

/// What keeps a template of tensor cores from serving, which needs so many rows of C at least; empty: nothing.
std::string why_not_mma(const Workload& workload, std::int64_t least_rows, bool has_tf32);

/// Valid configurations from formulas, the best guess first; never empty.
std::vector<Config> matmul_mma_seeds(const Workload& workload, const Target& target);
std::vector<Config> matmul_wgmma_seeds(const Workload& workload, const Target& target);

}  // namespace nestwright
