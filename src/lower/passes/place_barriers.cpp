// Inserts barriers of a block's threads between the writes of a shared buffer and the reads that follow, and between
// these reads and the next writes, including those of the next iteration of a loop.
//
//   for ko:                           for ko:
//     A.cache[tx] = A[...]              A.cache[tx] = A[...]
//     C[tx] += A.cache[...]      ->     barrier
//                                       C[tx] += A.cache[...]
//                                       barrier
//
// A statement that reads the element that it writes, as a reduction does, needs no barrier: each element of a stage is
// computed by one thread. Nor do accesses to elements that certainly differ, such as those in different slots of a
// double buffer. Copies in groups (ir::CommitCopies) may stay in flight as long as their groups allow, at most to the
// end of the loop that begins them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "ir/core/one_of.h"
#include "ir/gpu/barriers.h"
#include "ir/gpu/copies.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::passes {
namespace {

using namespace ir;

/// An element of a shared buffer. Indices that may differ between threads are undefined, which stands for any value.
struct Element {
  Buffer buffer;
  std::vector<Expr> indices;

  bool may_be(const Element& other) const {
    if (!(buffer == other.buffer)) return false;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Expr &a = indices[d], &b = other.indices[d];
      if (a.defined() && b.defined() && never_equal(a, b)) return false;  // such as the slots of a double buffer
    }
    return true;
  }
  bool same_as(const Element& other) const {
    return buffer == other.buffer &&
           std::equal(indices.begin(), indices.end(), other.indices.begin(), [](const Expr& a, const Expr& b) {
             return a.defined() == b.defined() && (!a.defined() || equal(a, b));
           });
  }
};

/// Whether `load` reads the element that `store` writes, by the same indices.
bool is_same_element(const Load& load, const Store& store) {
  return load.buffer == store.buffer && std::equal(load.indices.begin(), load.indices.end(), store.indices.begin(),
                                                   [](const Expr& a, const Expr& b) { return equal(a, b); });
}

class Elements {
 public:
  void add(Element element) {
    const auto same = [&](const Element& known) { return known.same_as(element); };
    if (std::none_of(all_.begin(), all_.end(), same)) all_.push_back(std::move(element));
  }
  void add(const Elements& other) {
    for (const Element& element : other.all_) add(element);
  }
  bool may_overlap(const Elements& other) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Element& a) {
      return std::any_of(other.all_.begin(), other.all_.end(), [&](const Element& b) { return a.may_be(b); });
    });
  }
  /// Makes indices that depend on `var` undefined: it goes out of scope, or changes its value.
  void forget(const Var& var) {
    std::vector<Element> before = std::move(all_);
    all_.clear();
    for (Element& element : before) {
      for (Expr& index : element.indices) {
        if (index.defined() && mentions(index, var)) index = Expr();
      }
      add(std::move(element));
    }
  }

 private:
  std::vector<Element> all_;
};

struct Accesses {
  Elements read, written;
  void add(const Accesses& other) {
    read.add(other.read);
    written.add(other.written);
  }
  void forget(const Var& var) {
    read.forget(var);
    written.forget(var);
  }
};

/// A statement with its barriers, and its accesses to shared buffers before the first barrier and after the last.
struct Placed {
  Stmt stmt;
  Accesses entry, exit;
  bool waits = false;                   ///< whether it has a barrier; if not, entry and exit are equal
  bool always_reaches_barrier = false;  ///< whether every path through it has a barrier

  void forget(const Var& var) {
    entry.forget(var);
    exit.forget(var);
  }
};

bool must_wait(const Accesses& before, const Accesses& after) {
  return before.written.may_overlap(after.read) || before.read.may_overlap(after.written);
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
    body.forget(loop.var);
    const int pending = pending_.value_or(0);
    if (commits_copies(loop.body)) pending_.reset();
    const bool is_sequential = loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kUnrolled;
    if (is_sequential && must_wait(body.exit, body.entry)) {
      body.stmt = block({body.stmt, make_barrier(pending)});
      body.exit = {};
      body.waits = body.always_reaches_barrier = true;
    }
    if (body.waits && differs && !is_thread_index(loop.kind)) refuse(fmt::format("loop {}", loop.var.name()));
    body.always_reaches_barrier = body.always_reaches_barrier && always_runs(loop);
    body.stmt = make_for(loop.var, loop.min, loop.extent, loop.kind, std::move(body.stmt));
    return body;
  }

  Placed place(const Stmt&, const Block& sequence) {
    Placed result;
    std::vector<Stmt> stmts;
    for (const Stmt& s : sequence.stmts) {
      const int pending = pending_.value_or(0);
      Placed next = place(s);
      if (must_wait(result.exit, next.entry)) {
        stmts.push_back(make_barrier(pending));
        result.exit = {};
        result.waits = result.always_reaches_barrier = true;
      }
      if (!result.always_reaches_barrier) result.entry.add(next.entry);
      if (next.always_reaches_barrier) result.exit = {};
      result.exit.add(next.exit);
      result.waits = result.waits || next.waits;
      result.always_reaches_barrier = result.always_reaches_barrier || next.always_reaches_barrier;
      stmts.push_back(std::move(next.stmt));
    }
    result.stmt = block(std::move(stmts));
    return result;
  }

  Placed place(const Stmt&, const Let& let) {
    if (varies(let.value)) varying_.insert(let.var);
    Placed body = place(let.body);
    body.forget(let.var);
    const Accesses value{reads_of_others(let.value, let.body), {}};
    if (must_wait(value, body.entry)) {
      body.stmt = block({make_barrier(), body.stmt});
      body.entry = {};
      body.waits = body.always_reaches_barrier = true;
    }
    body.entry.add(value);
    if (!body.always_reaches_barrier) body.exit.add(value);
    body.stmt = make_let(let.var, let.value, std::move(body.stmt));
    return body;
  }

  /// The elements of shared buffers that the value reads, except those that the body stores, as a reduction of tuples
  /// does.
  Elements reads_of_others(const Expr& value, const Stmt& body) const {
    Elements result;
    for_each_expr(value, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load == nullptr || load->buffer->scope != Scope::kShared) return;
      const bool own = any_stmt(body, [&](const Stmt& s) {
        const auto* store = s.as<Store>();
        return store != nullptr && is_same_element(*load, *store);
      });
      if (!own) result.add(element(load->buffer, load->indices));
    });
    return result;
  }

  Placed place(const Stmt& s, const IfThenElse& branch) {
    Placed result = place(branch.then_case);
    const Placed other = place(branch.else_case);
    if ((result.waits || other.waits) && varies(branch.condition)) refuse("condition " + to_string(branch.condition));
    result.entry.add(other.entry);
    result.exit.add(other.exit);
    result.waits = result.waits || other.waits;
    result.always_reaches_barrier = result.always_reaches_barrier && other.always_reaches_barrier;
    const Accesses value{reads_of_others(branch.condition, s), {}};
    if (must_wait(value, result.entry)) refuse("condition " + to_string(branch.condition));
    result.entry.add(value);
    if (!result.always_reaches_barrier) result.exit.add(value);
    result.stmt = make_if(branch.condition, std::move(result.stmt), other.stmt);
    return result;
  }

  Placed place(const Stmt& s, const Store& store) {
    Placed result;
    result.stmt = s;
    for_each_expr(s, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load == nullptr || load->buffer->scope != Scope::kShared) return;
      if (!is_same_element(*load, store)) result.entry.read.add(element(load->buffer, load->indices));
    });
    if (store.buffer->scope == Scope::kShared) result.entry.written.add(element(store.buffer, store.indices));
    result.exit = result.entry;
    return result;
  }

  Placed place(const Stmt&, const Allocate& allocate) {
    Placed body = place(allocate.body);
    body.stmt = with_body(allocate, allocate.buffer, std::move(body.stmt));
    return body;
  }

  Placed place(const Stmt& s, const Prefetch&) { return {s, {}, {}, false, false}; }
  Placed place(const Stmt& s, const CommitCopies& group) {
    pending_ = std::min(group.pending, pending_.value_or(group.pending));
    return {s, {}, {}, false, false};
  }
  Placed place(const Stmt& s, const Barrier&) { return {s, {}, {}, true, true}; }
  Placed place(const Stmt& s, const OneOf<Launch, TensorInstruction> auto&) { return {s, {}, {}, false, false}; }

  Element element(const Buffer& buffer, const std::vector<Expr>& indices) const {
    Element result{buffer, {}};
    for (const Expr& index : indices) result.indices.push_back(varies(index) ? Expr() : index);
    return result;
  }

  /// Whether the value may be divergent among the threads of a block.
  bool varies(const Expr& e) const {
    return any_expr(e, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      return part.as<Load>() || (ref != nullptr && varying_.count(ref->var) > 0);
    });
  }

  [[noreturn]] static void refuse(const std::string& where) {
    throw LowerError(
        fmt::format("{} differs between the threads of a block, which have to wait for each other inside for what they "
                    "share: make the extents divisible, or compute what is shared outside",
                    where));
  }

  std::set<Var> varying_;
  std::optional<int> pending_;  ///< groups that a barrier may leave in flight; absent: there are none
};

}  // namespace

Stmt place_barriers(const Stmt& kernel) { return Placer().place(kernel).stmt; }

Program place_barriers(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& kernel) { return place_barriers(kernel); });
}

}  // namespace nestwright::passes
