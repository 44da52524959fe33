// Whether a program runs on several threads at all: one that does not needs no pool.
// Thread rule: a pure function.
#pragma once

#include "ir/core/program.h"

namespace nestwright {

bool has_parallel_loop(const ir::Program& program);

}  // namespace nestwright
