// Applies the pragma in_threads: moves the time loop of a scan inside the blocks and threads of its steps.
//
//   for t in 1..m:                         blockIdx.x b: threadIdx.x i:
//     blockIdx.x b: threadIdx.x i:   ->      for t in 1..m:
//       S[t, j] = S[t - 1, j] + X[t, j]        S[t, j] = S[t - 1, j] + X[t, j]       with j = b*256 + i
//
// On a device, a time loop whose steps have no bound loops at all runs in one thread: a scan of one column.
//
// The move is correct if no thread reads an element that another computes: every access to the buffers that the steps
// store has the store's indices, except for the time. If a step reads only the previous row, the thread keeps its
// elements of that row in registers and loads none of them from memory.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "lower/support/copier.h"
#include "nestwright/error.h"

namespace nestwright::passes {
namespace {

using namespace ir;

bool has_bound(const Stmt& s) {
  return any_stmt(s, [&](const Stmt& inner) { return as_bound(inner) != nullptr; });
}

/// Whether indices are equal except for the first, the time.
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

/// The only store of a body, and the loops around it there.
struct OnlyStore {
  const Store* store = nullptr;
  std::vector<const For*> loops;
};

/// The only store of `body`; absent if there are several.
std::optional<OnlyStore> find_only_store(const Stmt& body) {
  OnlyStore found;
  Stmt s = body;
  for (;;) {
    if (const auto* store = s.as<Store>()) {
      found.store = store;
      return found;
    }
    if (const auto* loop = s.as<For>()) {
      found.loops.push_back(loop);
      s = loop->body;
    } else if (const auto* let = s.as<Let>()) {
      s = let->body;
    } else if (const auto* guard = s.as<IfThenElse>(); guard != nullptr && !guard->else_case.defined()) {
      s = guard->then_case;
    } else {
      return std::nullopt;
    }
  }
}

/// Replaces all loads of a buffer, and the store to it.
class Replacer : public Mutator {
 public:
  Replacer(const Store& store, Expr load, Stmt instead)
      : store_(store), load_(std::move(load)), instead_(std::move(instead)) {}
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const auto* load = e.as<Load>();
    return load != nullptr && load->buffer == store_.buffer ? load_ : mutate_children(e);
  }
  Stmt mutate(const Stmt& s) override { return s.as<Store>() != nullptr ? instead_ : mutate_children(s); }
  Expr value() { return mutate(store_.value); }

 private:
  const Store& store_;
  Expr load_;
  Stmt instead_;
};

/// The loop over time with the previous row in a local buffer, which has an element for each one that a step of the
/// thread stores. Undefined if the steps have several stores, if they read other rows than the previous one, if the row
/// before the first step is not row 0, or if the loops around the store do not start at 0 with constant extents.
Stmt keep_row(const For& time, const Stmt& body) {
  const std::optional<OnlyStore> only = find_only_store(body);
  if (!only) return {};
  const Store& store = *only->store;
  const bool reads_other_rows = any_expr(body, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load == nullptr || load->buffer != store.buffer) return false;
    const Linear back = Linear(to_linear(load->indices[0])).add(to_linear(store.indices[0]), -1);
    return !back.is_constant() || back.constant != -1;
  });
  std::vector<Expr> first = store.indices;
  first[0] = to_linear(substitute(first[0], {{time.var, time.min}}) - 1).expr();
  std::vector<Expr> shape, indices;
  for (const For* loop : only->loops) {
    if (as_const_int(loop->extent) == nullptr || !is_const_int(loop->min, 0)) return {};
    shape.push_back(loop->extent);
    indices.emplace_back(loop->var);
  }
  if (reads_other_rows || !is_const_int(first[0], 0)) return {};
  if (shape.empty()) {
    shape.emplace_back(1);
    indices.emplace_back(0);
  }
  const Buffer row(store.buffer->name + ".row", store.buffer->element, shape, Scope::kLocal);
  const Expr kept = make_load(row, indices);
  const Stmt begin = make_store(row, indices, make_load(store.buffer, first));
  Store from_row = store;
  from_row.value = kept;
  const Stmt step = block({make_store(row, indices, Replacer(store, kept, {}).value()), make_store(from_row)});
  Stmt before = Replacer(store, kept, begin).mutate(body);
  before = Copier({{time.var, time.min}}, true).mutate(before);
  Stmt loop = make_for(time.var, time.min, time.extent, LoopKind::kSerial, Replacer(store, kept, step).mutate(body));
  return make_allocate(row, block({std::move(before), std::move(loop)}));
}

/// Moves `loop`, the time loop of `scan`, inside the bound loops of its body.
Stmt move_inside(const Stmt& loop, const std::string& scan, DeviceKind device) {
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
  if (bound.empty() && !has_bound(body) && device != DeviceKind::kCpu) {
    return make_for(Var("thread"), 0, 1, LoopKind::kThreadX, loop);
  }
  if (bound.empty() || has_bound(body)) {
    throw LowerError(
        fmt::format("the time of {} cannot run inside its threads: its steps are not one nest of bound "
                    "loops; bind the outermost loops of its update, and compute other stages inside them",
                    scan));
  }
  require_own_columns(body, scan);
  Stmt result = keep_row(*time, body);
  if (!result.defined()) result = make_for(time->var, time->min, time->extent, LoopKind::kSerial, body);
  for (auto outer = bound.rbegin(); outer != bound.rend(); ++outer) {
    result = make_for((*outer)->var, (*outer)->min, (*outer)->extent, (*outer)->kind, std::move(result));
  }
  return result;
}

}  // namespace

Program run_in_threads(Program program, PassContext& context) {
  return on_pragmas(std::move(program), context.notes, PragmaKind::kInThreads,
                    [&](const Stmt& loop, const LoopPragma& pragma) {
                      return move_inside(loop, pragma.stage, context.target.device);
                    });
}

}  // namespace nestwright::passes
