// What the GPU templates of convolutions have in common: the tile of Y that a block of threads has, in registers, the
// loops that bind it, and what it may take of the device. Internal to templates.
//
// The tiles are whole: what is summed up is padded with zeros up to whole tiles, so that nothing is tested in the loops
// over the reduction, and barriers are reached by all threads. Only the stores to Y are guarded.
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

/// An axis of Y: blocks, their threads, elements of each thread, which are neighbours. Numbers, or knobs.
template <class Int>
struct AxisTileOf {
  Int blocks = 1, threads = 1, elements = 1;
  Int of_block() const { return threads * elements; }
  Int padded() const { return blocks * of_block(); }
  AxisTileOf<std::int64_t> in_run() const { return {blocks, threads, elements}; }
};
using AxisTile = AxisTileOf<std::int64_t>;
using AxisTileKnobs = AxisTileOf<KnobExpr>;

/// How a block's tile of Y is shared out. An image is a block's own.
struct ConvolutionTile {
  AxisTile filters, rows, columns;
  std::int64_t parts = 1;          ///< of the filters, one after the other; `filters` is of one of them
  bool filters_along_x = false;    ///< threads that differ fastest have other filters; else other columns
  bool filters_outermost = false;  ///< blocks that differ fastest have other places; else other filters
  std::int64_t lanes = 1;          ///< of vectors that are stored, along the innermost dimension of Y
  std::int64_t pixel_threads() const { return rows.threads * columns.threads; }
  std::int64_t threads() const { return filters.threads * pixel_threads(); }
  BlockThreads block_threads() const {
    return filters_along_x ? BlockThreads{filters.threads, pixel_threads()}
                           : BlockThreads{pixel_threads(), filters.threads};
  }
};

/// The same as knobs, and what it is in this run.
struct ConvolutionTileKnobs {
  AxisTileKnobs filters, rows, columns;
  ConvolutionTile in_run;
  KnobExpr threads() const { return filters.threads * rows.threads * columns.threads; }
  /// Results of a thread.
  KnobExpr elements() const { return filters.elements * rows.elements * columns.elements; }
};

/// Defines the knobs tile_k, tile_p, tile_q, threads_x, blocks_inner and vector_y, with the constraints that the target
/// sets on threads and registers. `registers`: that a thread needs for so many filters and places. The filters of a
/// block are all of one of `parts` of them.
using RegistersOf = std::function<KnobExpr(const ConvolutionTileKnobs& tile)>;
ConvolutionTileKnobs define_convolution_tile(Tuning& t, const Convolution& convolution, std::int64_t parts,
                                             const RegistersOf& registers, const Target& target);

/// A tile of a block, and of each thread, in filters, rows and columns.
struct SeedTile {
  std::int64_t filters, rows, columns;
  std::int64_t thread_filters, thread_rows, thread_columns;
};
/// The knobs of define_convolution_tile that make such a tile.
Config to_config(const SeedTile& tile, const Convolution& convolution, std::int64_t parts);
/// From large tiles to small ones, those first of which there are enough to fill the device.
std::vector<SeedTile> convolution_seed_tiles(const Convolution& convolution, std::int64_t parts, const Target& target);

/// Rows or columns of the image that the windows of `outputs` neighbouring results cover.
template <class Int>
Int window_extent(const WindowAxis& axis, const Int& outputs) {
  return (outputs - 1) * axis.stride + axis.reach();
}

/// Registers of 4 bytes that hold a value, and that a thread has beside accumulators and operands.
inline std::int64_t register_words(ir::Type type) { return std::max<std::int64_t>(1, type.bytes() / 4); }
inline constexpr std::int64_t kSpareRegisters = 24;

/// Sums are of float32 where the operator's would be of float16.
ir::Type convolution_gpu_sums(const Convolution& convolution);

/// [n, k, p, q], padded to whole tiles.
std::vector<Expr> padded_sums_shape(const Convolution& convolution, const ConvolutionTile& tile);
/// Extents of the padded image that such sums read.
struct PaddedImage {
  std::int64_t rows, columns;
};
PaddedImage padded_image(const Convolution& convolution, const ConvolutionTile& tile);
/// The group of a filter; 0 where there is one.
Expr group_of(const Convolution& convolution, const Expr& filter);
/// Y of such sums.
Tensor output_of(const Convolution& convolution, const Tensor& sums, const Definition& definition);

/// Splits and binds the loops of `y`, which stores the tile. Returns the innermost loop over threads.
IterVar bind_convolution_tile(Stage y, const Convolution& convolution, const ConvolutionTile& tile);

}  // namespace nestwright
