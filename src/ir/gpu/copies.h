// Copies from global to shared memory, which devices can make asynchronously.
// Thread rule: pure functions.
#pragma once

#include "nestwright/program.h"

namespace nestwright::ir {

/// Whether `store` is such a copy: it stores an element of global memory to shared memory unchanged.
bool is_copy(const Store& store);

/// Whether `s`, which may be undefined, commits groups of copies (CommitCopies).
bool commits_copies(const Stmt& s);

/// Whether `s` contains asynchronous copies (Store::asynchronous).
bool has_asynchronous_copies(const Stmt& s);

}  // namespace nestwright::ir
