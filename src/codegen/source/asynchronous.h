// Copies from global to shared memory that a device does while its threads go on (cp.async of CUDA, from sm_80 on): a
// thread waits for its own in front of the next barrier, which is when others may read them. With a double buffer what
// is fetched for the next iteration is on its way while this one computes. Thread rule: pure functions.
#pragma once

#include <set>

#include "ir/core/stmt.h"

namespace nestwright::codegen {

/// What an asynchronous copy moves: a store of so much of a load, which may have a mask that is the same for all lanes.
struct Copied {
  const ir::Load* load = nullptr;  ///< null: the store is no such copy
  int bytes = 0;                   ///< 4, 8 or 16
};
Copied copied_by(const ir::Store& store);

/// The stores of a kernel that may be asynchronous copies: no thread looks at what it copies before a barrier, or
/// stores over it. What is to stay in flight at a barrier is in a group (ir::CommitCopies), for which the verifier has
/// shown that nobody looks at it before a barrier waits for it; what is in none is no copy where such a barrier
/// is next. Those of more than one lane have to be one access on both sides, which is not looked at here.
/// Requires a kernel without races.
std::set<const ir::StmtNode*> asynchronous_copies(const ir::Stmt& kernel);

}  // namespace nestwright::codegen
