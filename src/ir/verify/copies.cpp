// Checks copies in flight: no thread accesses an element of shared memory between the copy that fills it and the
// barrier that waits for the group of that copy.
//
// The check simulates one thread, with the groups that it has in flight. The prologue and the epilogue of a loop, in
// which copies from before the loop are in flight or no new ones begin, are simulated iteration by iteration, with the
// value of the loop's variable. The steady state in between is simulated for a symbolic value v, until the copies in
// flight at the start of an iteration, relative to v, no longer change.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "ir/gpu/copies.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/quote.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

class CopyCheck {
 public:
  std::vector<std::string> run(const Program& program) {
    for (const Kernel& kernel : program.kernels) {
      if (!commits_copies(kernel.body)) continue;
      for_each_stmt(kernel.body, [&](const Stmt& s) {
        if (const auto* barrier = s.as<Barrier>())
          max_pending_ = std::max<std::int64_t>(max_pending_, barrier->pending);
      });
      copies_.clear();
      visit(kernel.body);
    }
    return std::move(violations_);
  }

 private:
  struct Copy {
    Buffer buffer;
    std::vector<Expr> indices;  ///< undefined where it is not known
    std::size_t number = 0;     ///< the number of copies begun before it
    int later_groups = -1;      ///< groups of this thread after its own; -1: its own is not committed

    bool same_as(const Copy& other) const {
      return buffer == other.buffer && later_groups == other.later_groups &&
             std::equal(indices.begin(), indices.end(), other.indices.begin(), [](const Expr& a, const Expr& b) {
               return a.defined() == b.defined() && (!a.defined() || equal(a, b));
             });
    }
  };
  using Copies = std::vector<Copy>;

  static bool includes(const Copies& all, const Copy& one) {
    return std::any_of(all.begin(), all.end(), [&](const Copy& other) { return other.same_as(one); });
  }
  static void join(Copies& copies, const Copies& others) {
    for (const Copy& other : others) {
      if (!includes(copies, other)) copies.push_back(other);
    }
  }

  void visit(const Stmt& s) {
    if (!s.defined()) return;
    const Stmt* const outer = statement_;
    statement_ = &s;
    std::visit([&](const auto& n) { visit(n); }, s.node().value);
    statement_ = outer;
  }
  void visit(const Block& b) {
    for (const Stmt& s : b.stmts) visit(s);
  }
  void visit(const Let& let) {
    check_loads(let.value);
    const Expr value = resolve(let.value);
    if (varies(value)) {
      varying_.insert(let.var);
    } else {
      values_[let.var] = value;
    }
    visit(let.body);
    end_scope(let.var);
  }
  void visit(const IfThenElse& choice) {
    check_loads(choice.condition);
    const Expr condition = choice.condition.type().is_scalar() ? resolve(choice.condition) : choice.condition;
    const Copies before = copies_;
    if (!is_false(condition)) visit(choice.then_case);
    if (is_true(condition)) return;
    const Copies after_then = is_false(condition) ? before : std::exchange(copies_, before);
    visit(choice.else_case);
    if (!is_false(condition)) join(copies_, after_then);
  }
  void visit(const Store& store) {
    for (const Expr& index : store.indices) check_loads(index);
    check_loads(store.value);
    check_loads(store.mask);
    check_access(store.buffer, store.indices, "written");
    if (!is_copy(store)) return;
    Copy& copy = copies_.emplace_back(Copy{store.buffer, resolved(store.indices), begun_++});
    for (Expr& index : copy.indices) {
      if (reads_memory(index)) index = {};  // a loaded index may have another value later
    }
  }
  void visit(const Allocate& allocation) {
    visit(allocation.body);
    std::erase_if(copies_, [&](const Copy& copy) { return copy.buffer == allocation.buffer; });
  }
  void visit(const Prefetch&) {}
  void visit(const Launch&) {}
  void visit(const TensorInstruction& instruction) { visit(instruction.body); }
  void visit(const CommitCopies&) {
    for (Copy& copy : copies_) ++copy.later_groups;
  }
  /// After a barrier other threads may access elements whose copies are still in flight.
  void visit(const Barrier& barrier) {
    std::erase_if(copies_,
                  [&](const Copy& copy) { return copy.later_groups < 0 || copy.later_groups >= barrier.pending; });
    for (Copy& copy : copies_) {
      for (Expr& index : copy.indices) {
        if (index.defined() && varies(index)) index = {};
      }
    }
  }

  void visit(const For& loop) {
    check_loads(loop.min);
    check_loads(loop.extent);
    const bool is_sequential = loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kUnrolled;
    const Expr min = resolve(loop.min), extent = resolve(loop.extent);
    const bool differs = is_thread_index(loop.kind) || varies(min) || varies(extent);
    if (differs || !is_sequential || !commits_copies(loop.body)) {
      if (differs) varying_.insert(loop.var);
      visit(loop.body);
      end_scope(loop.var);
      return;
    }
    follow_iterations(loop, min, extent);
    end_scope(loop.var);
  }

  void follow_iterations(const For& loop, const Expr& min, const Expr& extent) {
    const std::int64_t* count = as_const_int(extent);
    const std::int64_t window = max_pending_ + 2;  // iterations after which all earlier copies have been waited for
    const auto one = [&](const Expr& value) {
      values_[loop.var] = resolve(value);
      visit(loop.body);
    };
    if (count != nullptr && *count <= 2 * window) {
      for (std::int64_t i = 0; i < *count; ++i) one(min + i);
      return;
    }
    const std::size_t first = begun_;
    Copies skipped = copies_;  // the copies in flight after a shorter loop
    for (std::int64_t i = 0; i < window; ++i) {
      one(min + i);
      if (count == nullptr) join(skipped, copies_);
    }
    values_.erase(loop.var);
    const auto is_older = [&](const Copy& copy) { return copy.number < first; };
    if (std::any_of(copies_.begin(), copies_.end(), is_older))
      return report("is still in flight after " + std::to_string(window) + " iterations");
    copies_.clear();
    for (std::int64_t iteration = 0;; ++iteration) {
      const Copies known = copies_;
      visit(loop.body);
      shift(loop.var, Expr(loop.var) - 1);
      const bool is_steady =
          known.size() == copies_.size() &&
          std::all_of(copies_.begin(), copies_.end(), [&](const Copy& c) { return includes(known, c); });
      if (is_steady) break;
      if (iteration > 2 * window) return report("is still in flight after any number of iterations");
    }
    shift(loop.var, resolve(min + extent - window));
    for (std::int64_t i = window; i > 0; --i) one(min + extent - i);
    join(copies_, count == nullptr ? skipped : Copies());
  }

  /// Rewrites the copies in flight by var = value.
  void shift(const Var& var, const Expr& value) {
    for (Copy& copy : copies_) {
      for (Expr& index : copy.indices) {
        if (index.defined() && mentions(index, var)) index = simplify(substitute(index, {{var, value}}));
      }
    }
  }
  void end_scope(const Var& var) {
    values_.erase(var);
    varying_.erase(var);
    for (Copy& copy : copies_) {
      for (Expr& index : copy.indices) {
        if (index.defined() && mentions(index, var)) index = {};
      }
    }
  }

  void check_loads(const Expr& e) {
    if (!e.defined()) return;
    for_each_expr(e, [&](const Expr& part) {
      if (const auto* load = part.as<Load>()) check_access(load->buffer, load->indices, "read");
    });
  }
  void check_access(const Buffer& buffer, const std::vector<Expr>& indices, const char* how) {
    std::optional<std::vector<Expr>> own;
    for (const Copy& copy : copies_) {
      if (copy.later_groups < 0 || copy.buffer != buffer) continue;
      if (!own) own = resolved(indices);
      bool is_disjoint = false;
      for (std::size_t d = 0; d < own->size(); ++d) {
        const Expr &at = (*own)[d], &copied = copy.indices[d];
        is_disjoint =
            is_disjoint || (copied.defined() && at.lanes() == 1 && copied.lanes() == 1 && never_equal(at, copied));
      }
      if (!is_disjoint) return report("may be " + std::string(how) + " while its copy is in flight", &buffer);
    }
  }

  Expr resolve(const Expr& e) const {
    if (!e.type().is_scalar()) return e;
    return simplify(substitute(e, values_));
  }
  std::vector<Expr> resolved(const std::vector<Expr>& indices) const {
    std::vector<Expr> result;
    for (const Expr& index : indices) result.push_back(resolve(index));
    return result;
  }
  /// Whether `e` may be divergent between the threads of a block.
  bool varies(const Expr& e) const {
    return any_expr(e, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      return part.as<Load>() != nullptr || (ref != nullptr && varying_.contains(ref->var));
    });
  }

  void report(const std::string& what, const Buffer* buffer = nullptr) {
    const std::string of = buffer != nullptr ? "an element of " + (*buffer)->name : "a copy";
    violations_.push_back(of + " " + what + ", in " + quote(*statement_));
  }

  std::vector<std::string> violations_;
  Copies copies_;
  std::size_t begun_ = 0;  ///< the number of copies so far
  Substitution values_;    ///< values of lets, and of variables of loops in their prologue and epilogue
  std::set<Var> varying_;  ///< variables that are divergent between the threads of a block
  std::int64_t max_pending_ = 0;
  const Stmt* statement_ = nullptr;
};

}  // namespace

std::vector<std::string> check_copies(const Program& program) { return CopyCheck().run(program); }

}  // namespace nestwright::ir
