// Names for the block and thread indices of a GPU, to which Stage::bind binds an axis.
// Thread rule: constants.
#pragma once

#include "ir/core/stmt.h"

namespace nestwright {

inline constexpr ir::LoopKind kBlockIdxX = ir::LoopKind::kBlockX;
inline constexpr ir::LoopKind kBlockIdxY = ir::LoopKind::kBlockY;
inline constexpr ir::LoopKind kBlockIdxZ = ir::LoopKind::kBlockZ;
inline constexpr ir::LoopKind kThreadIdxX = ir::LoopKind::kThreadX;
inline constexpr ir::LoopKind kThreadIdxY = ir::LoopKind::kThreadY;
inline constexpr ir::LoopKind kThreadIdxZ = ir::LoopKind::kThreadZ;
/// Iterations that one thread interleaves, statement by statement. A stage may have several such loops.
inline constexpr ir::LoopKind kVThread = ir::LoopKind::kVirtualThread;

}  // namespace nestwright
