#include "templates/sketch/seeds/row_seeds.h"

#include <algorithm>

#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

/// Whether what the stage reads and stores, each counted once, is larger than the second-level cache.
bool is_larger_than_l2(const StageAnalysis& stage, const Target& target) {
  return bytes_of(stage) > static_cast<double>(target.l2_bytes);
}

}  // namespace

std::vector<StageSeed> row_seeds(const StageAnalysis& stage, const Target& target) {
  std::vector<StageSeed> seeds;
  const bool is_large = is_larger_than_l2(stage, target);
  const std::int64_t full = target.lanes(widest_type(stage)), half = half_lanes(widest_type(stage), target);
  for (const std::int64_t vectors : {std::int64_t{4}, std::int64_t{8}, std::int64_t{2}}) {
    for (const bool is_streaming : {false, true}) {
      seeds.push_back({{"vectors", vectors},
                       {"vector_lanes", is_large && vectors == 8 ? half : full},
                       {"blocks", vectors == 2 ? 4 * target.threads : target.threads},
                       {"streams", is_large && vectors == 8 ? "four" : "one"},
                       {"stores", is_streaming ? "streaming" : "cached"},
                       {"values", "stored"},
                       {"order", is_streaming ? "rows" : "columns"},
                       {"tile", full},
                       {"row_tiles", vectors == 8 ? 32
                                     : is_large   ? 16
                                                  : 4},
                       {"column_tiles", vectors == 8 ? 32
                                        : is_large   ? 16
                                                     : 4},
                       {"at", vectors == 4 ? "block" : "root"}});
    }
  }
  return seeds;
}

bool is_of_columns(const StageAnalysis& stage, const ReductionForm& form) {
  if (form.kind != ReductionForm::Kind::kTiles || stage.results > 1) return false;
  if (form.vector_axis != stage.spatial - 1 || row_axis(stage, form.vector_axis) >= 0) return false;
  // No vector serves several points; single values may serve a vector.
  return !stage.has_reuse() ||
         std::all_of(stage.accesses.begin(), stage.accesses.end(), [&](const OperandAccess& access) {
           const auto stride = access.strides[static_cast<std::size_t>(form.vector_axis)];
           return stride && (*stride == 0 || (*stride == 1 && !access.is_constant));
         });
}

std::vector<StageSeed> column_seeds(const StageAnalysis& stage, const ReductionForm& form, const Target& target) {
  const bool is_large = is_larger_than_l2(stage, target);
  const ir::Type type = widest_type(stage);
  std::vector<StageSeed> seeds;
  const auto add = [&](const char* share, const char* reduction, std::int64_t vectors, std::int64_t lanes) {
    seeds.push_back({{"vectors_along", form.label()},
                     {"share", share},
                     {"reduction", reduction},
                     {"vectors", vectors},
                     {"vector_lanes", lanes},
                     {"rows_together", 8},
                     {"blocks", target.threads}});
  };
  const std::int64_t full = target.lanes(type);
  if (is_large) {
    add("reduction", "blocked", 2, half_lanes(type, target));
    add("columns", "blocked", 2, half_lanes(type, target));
  }
  for (const char* share : {"results", "columns", "reduction"}) {
    add(share, "whole", 4, full);
    add(share, "blocked", 8, full);
  }
  return seeds;
}

}  // namespace nestwright
