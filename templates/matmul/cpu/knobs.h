// The knobs of the CPU template of matmul. Internal to templates/matmul.
//
// The register tile has `rows` rows along one axis and `vectors` vectors of `lanes` along the other, the vectorised
// one: usually N, so that rows run along M; M where N is narrower than a vector, and then the tile has one row. Thread
// rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/target.h"
#include "nestwright/template.h"
#include "templates/loops/register_tile.h"
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
    kRows,   ///< a panel at a time, row by row: rows are only closer together than in the matrix
  } pack_a = Pack::kNo, pack_b = Pack::kNo;
  enum class Parallel : std::uint8_t { kNone, kM, kN, kBoth, kBatch } parallel = Parallel::kNone;
  std::int64_t lanes = 1, rows = 1, vectors = 1;
  /// Rows of the second segment's tiles, which make up the remainder exactly; 0: a peeled tail.
  std::int64_t second_rows = 0;
  std::int64_t row_tiles = 1, vector_tiles = 1;  ///< register tiles of a block
  std::int64_t k_block = 0;                      ///< reduction steps of a block; 0: not blocked
  std::int64_t unroll_k = 1;
  std::int64_t prefetch_a = 0, prefetch_b = 0;  ///< in reduction steps; 0: none
  bool prefetch_c = false;                      ///< the tile of C that comes next
  std::vector<int> block_order;                 ///< of MatmulAxis, outermost first
  bool tiles_n_outer = false;                   ///< within a block, the loop over N's tiles runs outside that over M's
};

/// The candidates for numbers of blocks of `tiles` register tiles.
std::vector<std::int64_t> block_count_candidates(std::int64_t tiles);

MatmulKnobs define_matmul_knobs(Tuning& t, const MatmulForm& form, const Target& target);

/// Schedules the blocked nest for a form, which the template made from the definition's A and B. Defines the knobs, and
/// replaces the definition's C by the form's, passed in the same shape.
Schedule schedule_matmul(Tuning& t, MatmulForm form, Definition& definition, const Target& target);

/// Reduction steps of each of `blocks` blocks, a multiple of 8 so that unrolling comes out even.
template <class Blocks>
Blocks k_block_of(std::int64_t k, const Blocks& blocks) {
  return ceil_div(ceil_div(k, blocks), 8) * 8;
}

}  // namespace nestwright
