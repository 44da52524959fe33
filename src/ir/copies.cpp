#include "ir/copies.h"

#include "ir/rewrite.h"

namespace nestwright::ir {

bool is_copy(const Store& store) {
  const auto* load = store.value.as<Load>();
  return store.buffer->scope == Scope::kShared && load != nullptr && load->buffer->scope == Scope::kGlobal;
}

bool has_groups(const Stmt& s) {
  bool found = false;
  if (s.defined()) for_each_stmt(s, [&](const Stmt& inner) { found = found || inner.as<CommitCopies>() != nullptr; });
  return found;
}

}  // namespace nestwright::ir
