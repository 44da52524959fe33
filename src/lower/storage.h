// Where the result of each stage is kept at a point of the nest, and the rewriting of a stage's body to it. Internal to
// lower/. Thread rule: one object belongs to one lowering.
#pragma once

#include <optional>
#include <vector>

#include "lower/frame.h"

namespace nestwright {

/// Where a stage's results, or the parts of them from `start` on, are kept: one buffer each, all of one shape.
struct Storage {
  std::vector<ir::Buffer> buffers;
  std::vector<ir::Linear> start;  ///< of each axis of the operation, in terms of loop variables
  const StageGraph* graph = nullptr;
};

/// Whether each thread keeps the stage for itself.
inline bool is_private(const StageState& stage) {
  return stage.scope != ir::Scope::kGlobal && stage.scope != ir::Scope::kShared;
}

/// Buffers for the region of `frame`'s stage, in the stage's layout: compact but for what storage_align pads.
Storage make_storage(const Frame& frame, const Facts& facts);

/// The storage of the whole results in `buffers`, compact or as the caller of the program provides them.
Storage whole_storage(const StageGraph& graph, std::vector<ir::Buffer> buffers);

/// Buffers for all results of a scan.
Storage make_scan_storage(const StageGraph& graph);

/// Where init or update of a scan is kept: in the scan's storage.
Storage part_of_scan(const StageGraph& graph, const Storage& scan);

/// Position of `index` from `start` on, with what they have in common cancelled out.
ir::Expr relative_index(const ir::Expr& index, const ir::Linear& start, const Facts& facts);

/// Extent of an axis of the operation in the storage, padding of the layout included. Undefined where it is not padded.
ir::Expr padded_extent(const Storage& storage, int axis);

/// The same element in the layout of the storage, which has one: an index for each of its dimensions. `position`:
/// relative_index of each axis of the operation.
std::vector<ir::Linear> laid_out(const Storage& storage, const std::vector<ir::Linear>& position, const Facts& facts);

/// Indices into the storage of the element that the operation calls `indices`, which are in affine normal form.
std::vector<ir::Expr> storage_indices(const Storage& storage, const std::vector<ir::Expr>& indices, const Facts& facts);

/// `e` with variables replaced by `values` and loads directed to the storage of the stages that are read: `storages` by
/// stage, absent for what is not a stage.
ir::Expr rewrite_body(const ir::Expr& e, const ir::Substitution& values, const ScheduleState& schedule,
                      const std::vector<std::optional<Storage>>& storages, const Facts& facts);

}  // namespace nestwright
