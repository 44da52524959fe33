#include "templates/loops/register_tile.h"

#include <algorithm>
#include <bit>

namespace nestwright {
namespace {

/// The fewest tiles of `second` rows that, with at least one tile of `rows` rows, cover `extent` exactly; 0 if there
/// are none.
std::int64_t second_tiles(std::int64_t extent, std::int64_t rows, std::int64_t second) {
  for (std::int64_t count = 1; count <= rows && count * second < extent; ++count) {
    if ((extent - count * second) % rows == 0) return count;
  }
  return 0;
}

}  // namespace

std::int64_t fitting_rows(std::int64_t vectors, std::int64_t extent, const Target& target) {
  std::int64_t rows =
      std::max<std::int64_t>(1, (target.vector_registers - spare_registers(target) - vectors) / vectors);
  rows = std::min(rows, extent);
  for (std::int64_t fewer = rows; 7 * fewer >= 6 * rows; --fewer) {
    if (extent % fewer == 0) return fewer;
  }
  return ceil_div(extent, ceil_div(extent, rows));
}

bool stays_in_registers(const RegisterTile& tile, const Target& target) {
  const std::int64_t used = tile.rows * tile.vectors + tile.vectors;
  const bool mask_in_vector = tile.partial && target.has_fma() && !target.has_masks();
  const std::int64_t spare = tile.others + spare_registers(target) + (tile.strided ? 1 : 0) + (mask_in_vector ? 1 : 0);
  if (used + spare > target.vector_registers) return false;
  // LLVM keeps the elements that unrolled steps broadcast for several rows in registers.
  if (tile.overlaps && tile.unroll_k > 1 && used + tile.rows > target.vector_registers + 1) return false;
  // Unrolled, bodies with conversions or separate products have many values in flight at once.
  const bool is_simple = (tile.others == 0 && tile.is_fused) || (target.has_masks() && tile.is_fused && !tile.partial);
  if (!is_simple) return tile.unroll_k == 1 && used + spare + 3 <= target.vector_registers;
  const std::int64_t under_way = tile.vectors == 1 ? 8 : 3;
  if (tile.others > 0 && tile.unroll_k > 1 && used + spare + under_way > target.vector_registers) return false;
  if (tile.unroll_k == 1) return true;
  if (tile.strided && tile.unroll_k > 4) return false;
  if (target.has_masks()) {
    // The products of a narrower last vector are narrow, too, and are widened before they are added to the sums.
    if (tile.narrow_end && used + 9 > target.vector_registers) return false;
    if (tile.partial && tile.vectors > 1 && used + 5 > target.vector_registers) return false;
    if (tile.vectors > 2 && used + 3 > target.vector_registers) return false;
    if (tile.vectors > 1 && tile.unroll_k > 4 && used + 5 > target.vector_registers) return false;
    return !tile.strided || tile.unroll_k == 2 ||
           used + 2 * tile.vectors + (tile.partial ? 5 : 0) < target.vector_registers;
  }
  if (tile.vectors == 1) return tile.rows <= (tile.partial ? 6 : 7);
  if (tile.strided || tile.partial) return used <= (target.has_fma() ? 12 : 8);
  return target.has_fma() || used <= 9 || tile.rows <= 2;
}

std::int64_t max_vectors(std::int64_t extent, std::int64_t vectors, std::int64_t lanes, const Target& target) {
  if (target.has_masks() || target.has_fma()) return vectors;
  const std::int64_t last = extent % (vectors * lanes), rest = last % lanes;
  return std::max<std::int64_t>(vectors, last / lanes + std::popcount(static_cast<std::uint64_t>(rest)));
}

std::int64_t second_segment(std::int64_t extent, std::int64_t rows) {
  if (extent % rows == 0) return 0;
  for (std::int64_t second = rows - 1; second > 0 && 2 * second >= rows; --second) {
    if (second_tiles(extent, rows, second) > 0) return second;
  }
  return 0;
}

std::int64_t count_tiles(std::int64_t extent, std::int64_t rows, std::int64_t second_rows) {
  if (second_rows == 0) return ceil_div(extent, rows);
  const std::int64_t second = second_tiles(extent, rows, second_rows);
  return second + (extent - second * second_rows) / rows;
}

}  // namespace nestwright
