#include "templates/sketch/seeds/block_seeds.h"

#include <algorithm>

#include "templates/loops/register_tile.h"
#include "templates/sketch/expression/forms.h"
#include "templates/sketch/seeds/stage_seed.h"

namespace nestwright {
namespace {

constexpr std::int64_t kVectors = 2;     ///< of a register tile
constexpr std::int64_t kBlockRows = 16;  ///< or more: what the rows have in common is read once for so many

bool is_product(const StageAnalysis& stage) {
  return stage.is_reduction && stage.results == 1 && stage.spatial > 1 && stage.has_reuse();
}

/// The largest divisor of `extent` that is at most `most`: tiles of fewer rows at the end of each block would be tested
/// for in the innermost loop.
std::int64_t divisor(std::int64_t extent, std::int64_t most) {
  std::int64_t found = std::min(extent, most);
  while (extent % found != 0) --found;
  return found;
}

}  // namespace

void set_block_knobs(Config& config, const std::vector<StageAnalysis>& stages, const Target& target) {
  std::vector<const StageAnalysis*> products;
  for (const StageAnalysis& stage : stages) {
    if (is_product(stage)) products.push_back(&stage);
  }
  if (products.size() < 2) return;
  for (const OperandAccess& access : products.back()->accesses) {
    if (access.producer < 0) continue;
    set_knobs(config, stages[static_cast<std::size_t>(access.producer)].name, {{"at", "chain"}});
  }
  for (const StageAnalysis* product : products) {
    const ReductionForm form = reduction_forms(*product, target).front();
    const int row = form.kind == ReductionForm::Kind::kTiles ? row_axis(*product, form.vector_axis) : -1;
    if (row < 0) return;
    const std::int64_t extent = product->extents[static_cast<std::size_t>(row)];
    const std::int64_t rows = divisor(extent, fitting_rows(kVectors, extent, target));
    set_knobs(config, product->name,
              {{"reduction", "whole"},
               {"register_rows", rows},
               {"register_vectors", kVectors},
               {"tail", "partition"},
               {"row_blocks", std::max<std::int64_t>(1, extent / std::max(rows, kBlockRows))},
               {"vector_blocks", 1},
               {"pack_vectors", product == products.back() ? "no" : "whole"}});
  }
}

}  // namespace nestwright
