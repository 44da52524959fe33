// The limit on what loops unroll to, for the pass that unrolls them and for devices, whose compilers do.
// Internal to lower/. Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "nestwright/program.h"

namespace nestwright {

/// The most statements that a kernel may have after unrolling.
inline constexpr std::int64_t kMaxUnrolled = 20000;

/// The number of iterations of an unrolled loop. Throws LowerError for an extent that is not constant.
std::int64_t unrolled_extent(const ir::For& loop);

/// Throws LowerError for an unrolled loop in `body` whose extent is not constant, or which unrolls to more than
/// kMaxUnrolled statements.
void limit_unrolling(const ir::Stmt& body);

}  // namespace nestwright
