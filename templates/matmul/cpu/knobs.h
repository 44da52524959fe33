// What the parts of the CPU template of matmul share: its knobs. Internal to templates/matmul.
//
// The register tile has `rows` rows along one axis and `vectors` vectors of `lanes` along the other, the vectorised
// one: usually N, so that rows run along M; M where N is narrower than a vector, and then the tile has one row. Thread
// rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "target/target.h"
#include "templates/framework/template.h"
#include "templates/matmul/form.h"

namespace nestwright {

/// Loops over blocks, as block_order numbers them.
enum MatmulAxis : int { kAxisM = 0, kAxisN = 1, kAxisK = 2, kAxisBatch = 3 };

struct MatmulKnobs {
  bool vector_m = false;  ///< M is vectorised, not N
  enum class Pack : std::uint8_t {
    kNo,
    kBlock,  ///< a panel at a time, tile by tile as the microkernel reads it
    kWhole,  ///< all at once, likewise
    kPrepared,  ///< all at once, likewise, before the calls
    kRows,   ///< a panel at a time, row by row: only no longer as far apart as in the matrix
  } pack_a = Pack::kNo, pack_b = Pack::kNo;
  enum class Parallel : std::uint8_t { kNone, kM, kN, kBoth, kBatch } parallel = Parallel::kNone;
  std::int64_t lanes = 1, rows = 1, vectors = 1;
  std::int64_t second_rows =
      0;  ///< rows of the second segment's tiles, which make the rows come out even; 0: a peeled tail
  std::int64_t row_tiles = 1, vector_tiles = 1;  ///< register tiles a block
  std::int64_t k_block = 0;                      ///< reduction steps a block; 0: not blocked
  std::int64_t unroll_k = 1;
  std::int64_t prefetch_a = 0, prefetch_b = 0;  ///< in reduction steps; 0: none
  bool prefetch_c = false;                      ///< the tile of C that comes next
  std::vector<int> block_order;                 ///< of MatmulAxis, outermost first
  bool tiles_n_outer = false;                   ///< within a block, the loop over N's tiles runs outside that over M's
};

MatmulKnobs define_matmul_knobs(Tuning& t, const MatmulForm& form, const Target& target);

/// The blocked nest for any form, after its knobs; C of the definition becomes the form's. `form` is what the template
/// makes of the definition's A and B.
Schedule schedule_matmul(Tuning& t, const MatmulForm& form, Definition& definition, const Target& target);

/// Vector registers that a tile needs beside its accumulators and a vector of each column: a broadcast, and without fma
/// the product.
inline int spare_registers(const Target& target) { return target.has_fma() ? 1 : 2; }

/// Whether a tile of rows x vectors, numbers or knobs, fits into the target's vector registers: accumulators + vectors
/// of B + a broadcast.
template <class Rows, class Vectors>
auto fits_registers(const Rows& rows, const Vectors& vectors, const Target& target) {
  return rows * vectors + vectors + spare_registers(target) <= target.vector_registers;
}

/// A register tile as the loop over the reduction works on it.
struct RegisterTile {
  std::int64_t rows, vectors;
  std::int64_t unroll_k;
  bool strided;             ///< vectors are gathered from elements that do not lie side by side
  bool partial;             ///< the last vector has idle lanes
  bool narrow_end = false;  ///< so many that it is read as a vector of half or a quarter of the width
  int others = 0;           ///< registers that the form needs beside
  bool is_fused = true;     ///< as the form has it
};

/// Whether a tile that fits into the registers stays there when the loop over the reduction is unrolled. Bounds found
/// by reading the code that LLVM makes: unrolled, a single column of accumulators changes registers from step to step;
/// products without fma, gathered vectors and masks take registers of their own.
bool stays_in_registers(const RegisterTile& tile, const Target& target);

/// Whether LLVM reads the first `rest` of `lanes` lanes as a vector of its own, narrower ones.
inline bool is_narrower_vector(std::int64_t rest, std::int64_t lanes) { return 2 * rest == lanes || 4 * rest == lanes; }

/// Vectors of a tile at most, at the end of `extent`, too: without masks the rest is made of narrower ones.
std::int64_t max_vectors(std::int64_t extent, std::int64_t vectors, std::int64_t lanes, const Target& target);

/// Rows of a second register tile such that multiples of both cover `extent` exactly: the largest number below `rows`,
/// at least half of it. 0 where there is none or `rows` divides the extent.
std::int64_t second_segment(std::int64_t extent, std::int64_t rows);

/// Register tiles that cover `extent`.
std::int64_t count_tiles(std::int64_t extent, std::int64_t rows, std::int64_t second_rows);

/// Reduction steps of each of `blocks` blocks, a multiple of 8 so that unrolling comes out even.
template <class Blocks>
Blocks k_block_of(std::int64_t k, const Blocks& blocks) {
  return ceil_div(ceil_div(k, blocks), 8) * 8;
}

}  // namespace nestwright
