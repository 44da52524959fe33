// The storage of each stage's results at a point of the nest, and the rewriting of a stage's body to load from it.
// Internal to lower/. Thread rule: pure functions and values. Units: indices and strides are in elements.
#pragma once

#include <optional>
#include <vector>

#include "lower/nest/frame.h"

namespace nestwright {

/// The buffers that hold a stage's results, or the region of them that begins at `start`: one per result, all of the
/// same shape.
struct Storage {
  std::vector<ir::Buffer> buffers;
  std::vector<ir::Linear> start;  ///< of each axis of the operation, in terms of loop variables
  const StageGraph* graph = nullptr;
};

/// Whether each thread has its own copy of the stage.
inline bool is_private(const StageState& stage) {
  return stage.scope != ir::Scope::kGlobal && stage.scope != ir::Scope::kShared;
}

/// New buffers for the region of `frame`'s stage, in the stage's layout: compact except for the padding of
/// storage_align.
Storage make_storage(const Frame& frame, const Facts& facts);

/// New buffers for all results of a scan.
Storage make_scan_storage(const StageGraph& graph);

/// The storage of the init or update of a scan, which is the scan's own.
Storage scan_part_storage(const StageGraph& graph, const Storage& scan);

/// index - start, with common terms cancelled.
ir::Expr relative_index(const ir::Expr& index, const ir::Linear& start, const Facts& facts);

/// The stored extent of an axis of the operation, with the layout's padding. Undefined if the axis is not padded.
ir::Expr padded_extent(const Storage& storage, int axis);

/// The element at `position` in the storage's layout, one index per dimension of the storage. Requires a layout, and
/// relative_index() of each axis of the operation as `position`.
std::vector<ir::Linear> apply_layout(const Storage& storage, const std::vector<ir::Linear>& position,
                                     const Facts& facts);

/// The storage's indices of the element that has `indices` in the operation. Requires affine normal form.
std::vector<ir::Expr> storage_indices(const Storage& storage, const std::vector<ir::Expr>& indices, const Facts& facts);

/// `e` with `values` substituted for variables, and loads of stages redirected to `storages`, which are by stage and
/// absent for stages that have none at this point.
ir::Expr rewrite_body(const ir::Expr& e, const ir::Substitution& values, const ScheduleState& schedule,
                      const std::vector<std::optional<Storage>>& storages, const Facts& facts);

}  // namespace nestwright
