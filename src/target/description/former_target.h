// Names of processors that earlier versions of Nestwright gave. Thread rule: a pure function.
#pragma once

#include <optional>

#include "nestwright/target.h"

namespace nestwright {

/// The target with the name that earlier versions gave its processor, whose records are hints: Zen 5 was znver4.
/// nullopt where the name is the same.
std::optional<Target> former_target(const Target& target);

}  // namespace nestwright
