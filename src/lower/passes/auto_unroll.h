// The pragma auto_unroll: serial loops of constant extent become unrolled ones, inner ones first, as long as no more
// than `steps` statements come of one.
// Thread rule: a pure function.
#pragma once

#include "ir/stmt.h"

namespace nestwright {

ir::Stmt auto_unroll(const ir::Stmt& s, std::int64_t steps);

}  // namespace nestwright
