// The indices that a GPU gives its threads, as bind names them.
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
/// Iterations that one thread runs in turns, statement by statement: several a stage are allowed.
inline constexpr ir::LoopKind kVThread = ir::LoopKind::kVirtualThread;

}  // namespace nestwright
