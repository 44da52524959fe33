// Copies from global to shared memory, which a device may make while its threads go on. Thread rule: pure functions.
#pragma once

#include "ir/core/stmt.h"

namespace nestwright::ir {

/// Whether `store` is such a copy: an element of shared memory becomes one of global memory as it is.
bool is_copy(const Store& store);

/// Whether `s`, which may be undefined, has groups of copies (CommitCopies).
bool has_groups(const Stmt& s);

/// Whether `s` has asynchronous copies (Store::asynchronous).
bool has_asynchronous_copies(const Stmt& s);

}  // namespace nestwright::ir
