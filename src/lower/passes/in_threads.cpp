#include "lower/passes/in_threads.h"

#include <fmt/format.h>

#include <vector>

#include "ir/equal.h"
#include "ir/rewrite.h"
#include "support/error.h"

namespace nestwright {
namespace {

using namespace ir;

const For* as_bound(const Stmt& s) {
  const auto* loop = s.as<For>();
  return loop != nullptr && is_bound(loop->kind) ? loop : nullptr;
}

bool has_bound(const Stmt& s) {
  bool found = false;
  for_each_stmt(s, [&](const Stmt& inner) { found = found || as_bound(inner) != nullptr; });
  return found;
}

bool mentions(const Expr& e, const Var& var) {
  bool found = false;
  for_each_expr(e, [&](const Expr& part) {
    const auto* ref = part.as<VarRef>();
    found = found || (ref != nullptr && ref->var == var);
  });
  return found;
}

/// Indices that are equal but for the first one, the time.
bool same_place(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  for (std::size_t d = 1; d < a.size(); ++d) {
    if (!equal(a[d], b[d])) return false;
  }
  return true;
}

void require_own_columns(const Stmt& body, const std::string& scan) {
  std::vector<const Store*> stores;
  const auto require_same = [&](const Buffer& buffer, const std::vector<Expr>& indices) {
    for (const Store* store : stores) {
      if (!(store->buffer == buffer) || same_place(store->indices, indices)) continue;
      throw LowerError(
          fmt::format("the time of {} cannot run inside its threads: one of them reads or writes {} where another one "
                      "does; leave out in_threads",
                      scan, buffer->name));
    }
  };
  for_each_stmt(body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    if (store != nullptr && store->buffer->scope == Scope::kGlobal) stores.push_back(store);
  });
  for (const Store* store : stores) require_same(store->buffer, store->indices);
  for_each_expr(body, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) require_same(load->buffer, load->indices);
  });
}

}  // namespace

Stmt run_in_threads(const Stmt& loop, const std::string& scan) {
  const auto* time = loop.as<For>();
  if (time == nullptr || time->kind != LoopKind::kSerial) return loop;
  std::vector<const For*> bound;
  Stmt body = time->body;
  for (const For* next = as_bound(body); next != nullptr; next = as_bound(body)) {
    if (mentions(next->extent, time->var) || mentions(next->min, time->var)) {
      throw LowerError(
          fmt::format("the time of {} cannot run inside its threads: their number depends on it; leave out "
                      "in_threads",
                      scan));
    }
    bound.push_back(next);
    body = next->body;
  }
  if (bound.empty() || has_bound(body)) {
    throw LowerError(
        fmt::format("the time of {} cannot run inside its threads: its steps are not one nest of bound "
                    "loops; bind the outermost loops of its update, and compute other stages inside them",
                    scan));
  }
  require_own_columns(body, scan);
  Stmt result = make_for(time->var, time->min, time->extent, LoopKind::kSerial, body);
  for (auto outer = bound.rbegin(); outer != bound.rend(); ++outer) {
    result = make_for((*outer)->var, (*outer)->min, (*outer)->extent, (*outer)->kind, std::move(result));
  }
  return result;
}

}  // namespace nestwright
