#include "lower/passes/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/equal.h"
#include "ir/print.h"
#include "ir/rewrite.h"
#include "support/error.h"

namespace nestwright {
namespace {

using namespace ir;

struct Accesses {
  std::set<Buffer> read, written;
  void add(const Accesses& other) {
    read.insert(other.read.begin(), other.read.end());
    written.insert(other.written.begin(), other.written.end());
  }
};

bool meet(const std::set<Buffer>& a, const std::set<Buffer>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Buffer& buffer) { return b.count(buffer) > 0; });
}

/// A statement with its barriers, and its accesses to shared buffers before the first and after the last of them.
struct Placed {
  Stmt stmt;
  Accesses entry, exit;
  bool waits = false;  ///< whether it has barriers; without, entry and exit are the same
};

bool must_wait(const Accesses& before, const Accesses& after) {
  return meet(before.written, after.read) || meet(before.read, after.written);
}

class Placer {
 public:
  Placed place(const Stmt& s) {
    if (!s.defined()) return {};
    return std::visit([&](const auto& n) { return place(s, n); }, s.node().value);
  }

 private:
  Placed place(const Stmt&, const For& loop) {
    const bool differs = is_thread_index(loop.kind) || varies(loop.min) || varies(loop.extent);
    if (differs) varying_.insert(loop.var);
    Placed body = place(loop.body);
    varying_.erase(loop.var);
    const bool in_turns = loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kUnrolled;
    if (in_turns && must_wait(body.exit, body.entry)) {
      body.stmt = block({body.stmt, make_barrier()});
      body.exit = {};
      body.waits = true;
    }
    if (body.waits && differs && !is_thread_index(loop.kind)) refuse(fmt::format("loop {}", loop.var.name()));
    body.stmt = make_for(loop.var, loop.min, loop.extent, loop.kind, std::move(body.stmt));
    return body;
  }

  Placed place(const Stmt&, const Block& sequence) {
    Placed result;
    std::vector<Stmt> stmts;
    for (const Stmt& s : sequence.stmts) {
      Placed next = place(s);
      if (must_wait(result.exit, next.entry)) {
        stmts.push_back(make_barrier());
        result.exit = {};
        result.waits = true;
      }
      if (!result.waits) result.entry.add(next.entry);
      if (next.waits) result.exit = {};
      result.exit.add(next.exit);
      result.waits = result.waits || next.waits;
      stmts.push_back(std::move(next.stmt));
    }
    result.stmt = block(std::move(stmts));
    return result;
  }

  Placed place(const Stmt&, const Let& let) {
    if (varies(let.value)) varying_.insert(let.var);
    Placed body = place(let.body);
    body.stmt = make_let(let.var, let.value, std::move(body.stmt));
    return body;
  }

  Placed place(const Stmt&, const IfThenElse& branch) {
    Placed result = place(branch.then_case);
    const Placed other = place(branch.else_case);
    if ((result.waits || other.waits) && varies(branch.condition)) refuse("condition " + to_string(branch.condition));
    result.entry.add(other.entry);
    result.exit.add(other.exit);
    result.waits = result.waits || other.waits;
    result.stmt = make_if(branch.condition, std::move(result.stmt), other.stmt);
    return result;
  }

  Placed place(const Stmt& s, const Store& store) {
    Placed result;
    result.stmt = s;
    for_each_expr(s, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load == nullptr || load->buffer->scope != Scope::kShared) return;
      const bool own =
          load->buffer == store.buffer && std::equal(load->indices.begin(), load->indices.end(), store.indices.begin(),
                                                     [](const Expr& a, const Expr& b) { return equal(a, b); });
      if (!own) result.entry.read.insert(load->buffer);
    });
    if (store.buffer->scope == Scope::kShared) result.entry.written.insert(store.buffer);
    result.exit = result.entry;
    return result;
  }

  Placed place(const Stmt&, const Allocate& allocate) {
    Placed body = place(allocate.body);
    body.stmt = with_body(allocate, allocate.buffer, std::move(body.stmt));
    return body;
  }

  Placed place(const Stmt& s, const Prefetch&) { return {s, {}, {}, false}; }
  Placed place(const Stmt& s, const Barrier&) { return {s, {}, {}, true}; }
  Placed place(const Stmt& s, const Launch&) { return {s, {}, {}, false}; }

  /// Whether threads of one block may disagree on its value.
  bool varies(const Expr& e) const {
    bool found = false;
    for_each_expr(e, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      found = found || part.as<Load>() || (ref != nullptr && varying_.count(ref->var) > 0);
    });
    return found;
  }

  [[noreturn]] static void refuse(const std::string& where) {
    throw LowerError(
        fmt::format("{} differs between the threads of a block, which have to wait for each other inside for what they "
                    "share: make the extents divisible, or compute what is shared outside",
                    where));
  }

  std::set<Var> varying_;
};

}  // namespace

ir::Stmt place_barriers(const ir::Stmt& kernel) { return Placer().place(kernel).stmt; }

}  // namespace nestwright
