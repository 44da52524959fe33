// A register tile of a reduction: `rows` rows of `vectors` vectors of accumulators. Whether it fits into the registers
// of a CPU and stays there, and how tiles cover an extent. Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "nestwright/target.h"
#include "templates/loops/divide.h"

namespace nestwright {

/// Vector registers that a tile needs besides its accumulators and one vector of B per column: one for the broadcast
/// element of A and, without fma, one for the product.
inline int spare_registers(const Target& target) { return target.has_fma() ? 1 : 2; }

/// Whether the accumulators of a tile of rows x vectors (numbers or knobs), `vectors` vectors of B and the spare
/// registers fit into the target's vector registers.
template <class Rows, class Vectors>
auto fits_registers(const Rows& rows, const Vectors& vectors, const Target& target) {
  return rows * vectors + vectors + spare_registers(target) <= target.vector_registers;
}

/// The most rows that fit beside `vectors` vectors; slightly fewer if those divide `extent`, or else balanced so that
/// the last tile is not much smaller.
std::int64_t fitting_rows(std::int64_t vectors, std::int64_t extent, const Target& target);

/// A register tile as the loop over the reduction works on it.
struct RegisterTile {
  std::int64_t rows, vectors;
  std::int64_t unroll_k;
  bool strided;             ///< vectors are gathered from elements that do not lie side by side
  bool partial;             ///< the last vector has idle lanes
  bool narrow_end = false;  ///< the last vector is read as one of half or a quarter of the width
  int others = 0;           ///< further registers that the form needs
  bool is_fused = true;     ///< one instruction multiplies and adds
  bool overlaps = false;    ///< unrolled steps broadcast elements that earlier steps broadcast for other rows
};

/// Whether a tile that fits into the registers stays there when the loop over the reduction is unrolled. The bounds
/// were found by reading the code that LLVM generates: unrolled, a single column of accumulators changes registers from
/// step to step; products without fma, gathered vectors and masks take registers of their own.
bool stays_in_registers(const RegisterTile& tile, const Target& target);

/// Whether LLVM reads the first `rest` of `lanes` lanes as one narrower vector.
inline bool is_narrower_vector(std::int64_t rest, std::int64_t lanes) { return 2 * rest == lanes || 4 * rest == lanes; }

/// The largest number of vectors in a tile, including the last tile of `extent`: without masks, its rest is covered by
/// narrower vectors.
std::int64_t max_vectors(std::int64_t extent, std::int64_t vectors, std::int64_t lanes, const Target& target);

/// Rows of a second register tile such that multiples of both cover `extent` exactly: the largest number below `rows`,
/// at least half of it. 0 where there is none or `rows` divides the extent.
std::int64_t second_segment(std::int64_t extent, std::int64_t rows);

/// The number of register tiles that cover `extent`.
std::int64_t count_tiles(std::int64_t extent, std::int64_t rows, std::int64_t second_rows);

}  // namespace nestwright
