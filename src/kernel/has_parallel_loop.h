// Tests whether a program has parallel loops; if not, it needs no thread pool.
// Thread rule: a pure function.
#pragma once

#include "nestwright/program.h"

namespace nestwright {

bool has_parallel_loop(const ir::Program& program);

}  // namespace nestwright
