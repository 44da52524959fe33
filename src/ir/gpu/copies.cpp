#include "ir/gpu/copies.h"

#include "ir/traversal/rewrite.h"

namespace nestwright::ir {

bool is_copy(const Store& store) {
  const auto* load = store.value.as<Load>();
  return store.buffer->scope == Scope::kShared && load != nullptr && load->buffer->scope == Scope::kGlobal;
}

bool commits_copies(const Stmt& s) {
  return any_stmt(s, [](const Stmt& inner) { return inner.as<CommitCopies>() != nullptr; });
}

bool has_asynchronous_copies(const Stmt& s) {
  return any_stmt(s, [](const Stmt& inner) {
    const auto* store = inner.as<Store>();
    return store != nullptr && store->asynchronous;
  });
}

}  // namespace nestwright::ir
