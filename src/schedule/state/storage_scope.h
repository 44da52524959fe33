// Names for the storage scope of a stage, as Stage::set_scope, Schedule::cache_read and Schedule::cache_write take it.
// Thread rule: constants.
#pragma once

#include "ir/core/expr.h"

namespace nestwright {

inline constexpr ir::Scope kGlobal = ir::Scope::kGlobal;
inline constexpr ir::Scope kShared = ir::Scope::kShared;
inline constexpr ir::Scope kLocal = ir::Scope::kLocal;
inline constexpr ir::Scope kRegister = ir::Scope::kRegister;
inline constexpr ir::Scope kTile = ir::Scope::kTile;
inline constexpr ir::Scope kFragment = ir::Scope::kFragment;

}  // namespace nestwright
