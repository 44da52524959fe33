// The tile of Y that a thread block computes in registers, for the GPU templates of convolutions: its knobs, the
// binding of its loops, and the limits that the device sets. Internal to templates.
//
// Tiles are always whole: the operands are padded with zeros to whole tiles, so that the reduction loops need no guards
// and all threads reach the barriers. Only the stores to Y are guarded.
// Thread rule: plain data, and functions that are pure or work on one Schedule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "templates/convolution/convolution.h"
#include "templates/loops/gpu_threads.h"

namespace nestwright {

/// How an axis of Y is split: blocks, threads of a block, and adjacent elements of a thread. Int is std::int64_t or
/// KnobExpr.
template <class Int>
struct AxisTileOf {
  Int blocks = 1, threads = 1, elements = 1;
  Int of_block() const { return threads * elements; }
  Int padded() const { return blocks * of_block(); }
  AxisTileOf<std::int64_t> in_run() const { return {blocks, threads, elements}; }
};
using AxisTile = AxisTileOf<std::int64_t>;
using AxisTileKnobs = AxisTileOf<KnobExpr>;

/// How a block's tile of Y is distributed over its threads. A block computes results of one image only.
struct ConvolutionTile {
  AxisTile filters, rows, columns;
  std::int64_t parts = 1;          ///< equal parts of the filters, such as groups; `filters` splits one of them
  bool filters_along_x = false;    ///< threadIdx.x runs over filters; else over columns
  bool filters_outermost = false;  ///< blockIdx.x runs fastest over rows and columns; else over filters
  std::int64_t lanes = 1;          ///< of vectors that are stored, along the innermost dimension of Y
  std::int64_t pixel_threads() const { return rows.threads * columns.threads; }
  std::int64_t threads() const { return filters.threads * pixel_threads(); }
  BlockThreads block_threads() const {
    return filters_along_x ? BlockThreads{filters.threads, pixel_threads()}
                           : BlockThreads{pixel_threads(), filters.threads};
  }
};

/// The tile as knobs, and its values in this run.
struct ConvolutionTileKnobs {
  AxisTileKnobs filters, rows, columns;
  ConvolutionTile in_run;
  KnobExpr threads() const { return filters.threads * rows.threads * columns.threads; }
  /// Results of a thread.
  KnobExpr elements() const { return filters.elements * rows.elements * columns.elements; }
};

/// Estimates the registers of a thread.
using RegistersOf = std::function<KnobExpr(const ConvolutionTileKnobs& tile)>;
/// Defines the knobs tile_k, tile_p, tile_q, threads_x, blocks_inner and vector_y, with the constraints that the target
/// sets on threads and registers. The filters of a block all belong to one of the `parts` parts.
ConvolutionTileKnobs define_convolution_tile(Tuning& t, const Convolution& convolution, std::int64_t parts,
                                             const RegistersOf& registers, const Target& target);

/// The tile of a block and that of each thread, in filters, rows and columns.
struct SeedTile {
  std::int64_t filters, rows, columns;
  std::int64_t thread_filters, thread_rows, thread_columns;
};
/// The knobs of define_convolution_tile that make such a tile.
Config to_config(const SeedTile& tile, const Convolution& convolution, std::int64_t parts);
/// Tiles from large to small; those with enough blocks to fill the device come first.
std::vector<SeedTile> convolution_seed_tiles(const Convolution& convolution, std::int64_t parts, const Target& target);

/// Rows or columns of the image that the windows of `outputs` neighbouring results cover.
template <class Int>
Int window_extent(const WindowAxis& axis, const Int& outputs) {
  return (outputs - 1) * axis.stride + axis.reach();
}

/// The 4-byte registers that a value takes, and those that a thread needs beside accumulators and operands.
inline std::int64_t register_words(ir::Type type) { return std::max<std::int64_t>(1, type.bytes() / 4); }
inline constexpr std::int64_t kSpareRegisters = 24;

/// The type of the accumulators: float32 where the operator's would be float16.
ir::Type convolution_gpu_sums(const Convolution& convolution);

/// The shape of the sums: [n, k, p, q], padded to whole tiles.
std::vector<Expr> padded_sums_shape(const Convolution& convolution, const ConvolutionTile& tile);
/// Extents of the padded image that such sums read.
struct PaddedImage {
  std::int64_t rows, columns;
};
PaddedImage padded_image(const Convolution& convolution, const ConvolutionTile& tile);
/// The group of a filter; 0 where there is one.
Expr group_of(const Convolution& convolution, const Expr& filter);
/// Y, from such sums by the epilogue.
Tensor output_of(const Convolution& convolution, const Tensor& sums, const Definition& definition);

/// Splits and binds the loops of `y`, which stores the tile. Returns the innermost loop over threads.
IterVar bind_convolution_tile(Stage y, const Convolution& convolution, const ConvolutionTile& tile);

}  // namespace nestwright
