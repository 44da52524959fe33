// Splits a GPU program into kernels and the host statement: the bound loops around a statement become a kernel, and
// everything outside them stays on the host.
//
//   for t in 1..m:                         host:     for t in 1..m:
//     blockIdx.x b:                                    launch f_kernel0
//       threadIdx.x i:              ->     f_kernel0: blockIdx.x b:
//         body(t, b, i)                                 threadIdx.x i:
//                                                         body(t, b, i)
//
// The host's loop variables, lets and allocations are visible in the kernels that it launches in their scope. The bound
// loops of a kernel come first, with nothing between them but allocations in shared scope; lets and guards between them
// are moved inside. A statement without any loops, such as that of a tensor without dimensions, is a kernel of one
// thread.
#include <fmt/format.h>

#include "ir/core/one_of.h"
#include "ir/traversal/quote.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"

namespace nestwright::passes {
namespace {

using namespace ir;

/// The first bound loop inside `s`; nullptr if there is none.
const For* find_bound(const Stmt& s) {
  const For* found = nullptr;
  if (!s.defined()) return found;
  for_each_stmt(s, [&](const Stmt& inner) {
    if (found == nullptr) found = as_bound(inner);
  });
  return found;
}

bool has_loops(const Stmt& s) {
  return any_stmt(s, [&](const Stmt& inner) { return inner.as<For>() != nullptr; });
}

std::string quote(const For& loop) {
  return fmt::format("loop {}, which is bound to {},", loop.var.name(), loop_kind_name(loop.kind));
}

/// The name of the first buffer that `s` stores to, for messages.
std::string first_result(const Stmt& s) {
  std::string name;
  for_each_stmt(s, [&](const Stmt& inner) {
    const auto* store = inner.as<Store>();
    if (name.empty() && store != nullptr) name = store->buffer->name;
  });
  return name;
}

class Splitter {
 public:
  Splitter(const Program& program, const Target& target) : result_(program), target_(target) {
    result_.kernels.clear();
    result_.host = host(program.kernels[0].body);
  }
  Program result() && { return std::move(result_); }

 private:
  Stmt host(const Stmt& s) {
    if (!s.defined()) return {};
    if (as_bound(s) != nullptr) return launch(s);
    // Shared memory is allocated around the loops over threads. Without a loop over blocks the threads are one block,
    // and the allocation belongs to the kernel.
    const auto* allocation = s.as<Allocate>();
    if (allocation != nullptr && allocation->buffer->scope == Scope::kShared) return launch(s);
    const For* bound = find_bound(s);
    if (bound == nullptr && !has_loops(s)) return launch(s);  // one thread
    if (bound == nullptr) {
      throw LowerError(fmt::format(
          "{}: no loop around the computation of {} is bound, so that nothing on {} runs it: bind its outermost loops "
          "to blockIdx and threadIdx, or compute it at a bound loop of its consumer",
          result_.name, first_result(s), target_.str()));
    }
    return std::visit(
        overloaded{[&](const For& n) {
                     if (n.kind != LoopKind::kSerial && n.kind != LoopKind::kUnrolled) {
                       throw LowerError(
                           fmt::format("{}: {} lies inside the {} loop {}: reorder the bound loops outermost",
                                       result_.name, quote(*bound), loop_kind_name(n.kind), n.var.name()));
                     }
                     return make_for(n.var, n.min, n.extent, LoopKind::kSerial, host(n.body));
                   },
                   [&](const Block& n) {
                     std::vector<Stmt> parts;
                     for (const Stmt& part : n.stmts) parts.push_back(host(part));
                     return block(std::move(parts));
                   },
                   [&](const Let& n) { return make_let(n.var, n.value, host(n.body)); },
                   [&](const IfThenElse& n) {
                     Stmt then_case = host(n.then_case);
                     return make_if(n.condition, std::move(then_case), host(n.else_case));
                   },
                   [&](const Allocate& n) { return with_body(n, n.buffer, host(n.body)); },
                   [&](const OneOf<Store, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&) -> Stmt {
                     throw InternalError("internal error: a bound loop inside a statement without body");
                   }},
        s.node().value);
  }

  Stmt launch(const Stmt& s) {
    const int number = static_cast<int>(result_.kernels.size());
    result_.kernels.push_back({fmt::format("{}_kernel{}", result_.name, number), bound_first(s)});
    return make_launch(number);
  }

  /// `s` with its bound loops moved outermost; `s` itself if it has none.
  Stmt bound_first(const Stmt& s) {
    const For* bound = find_bound(s);
    if (bound == nullptr) return s;
    return std::visit(
        overloaded{[&](const For& n) {
                     if (!is_bound(n.kind)) {
                       throw LowerError(
                           fmt::format("{}: {} lies inside loop {}, which is not, in one kernel: reorder the bound "
                                       "loops outermost",
                                       result_.name, quote(*bound), n.var.name()));
                     }
                     for (const Var& var : bound_vars_) {
                       if (mentions(n.extent, var)) refuse_varying(n, var.name());
                     }
                     bound_vars_.push_back(n.var);
                     Stmt body = bound_first(n.body);
                     bound_vars_.pop_back();
                     return make_for(n.var, n.min, n.extent, n.kind, std::move(body));
                   },
                   [&](const Let& n) {
                     return sink(
                         bound_first(n.body),
                         [&](const For& loop) {
                           if (mentions(loop.extent, n.var)) refuse_varying(loop, n.var.name());
                         },
                         [&](Stmt body) { return make_let(n.var, n.value, std::move(body)); });
                   },
                   [&](const IfThenElse& n) {
                     if (n.else_case.defined()) refuse_siblings(*bound);
                     return sink(
                         bound_first(n.then_case), [](const For&) {},
                         [&](Stmt body) { return make_if(n.condition, std::move(body)); });
                   },
                   [&](const Allocate& n) { return with_body(n, n.buffer, bound_first(n.body)); },
                   [&](const OneOf<Block, Store, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&)
                       -> Stmt { refuse_siblings(*bound); }},
        s.node().value);
  }

  /// Applies wrap() to the body of the bound loops at the top of `s`.
  template <class Check, class Wrap>
  Stmt sink(const Stmt& s, const Check& check, const Wrap& wrap) {
    if (const auto* shared = s.as<Allocate>(); shared != nullptr && find_bound(s) != nullptr) {
      return with_body(*shared, shared->buffer, sink(shared->body, check, wrap));
    }
    const For* loop = as_bound(s);
    if (loop == nullptr) return wrap(s);
    check(*loop);
    return make_for(loop->var, loop->min, loop->extent, loop->kind, sink(loop->body, check, wrap));
  }

  [[noreturn]] void refuse_varying(const For& loop, const std::string& by) const {
    throw LowerError(fmt::format("{}: the extent of {} depends on {}: all blocks of a launch have the same threads",
                                 result_.name, quote(loop), by));
  }
  [[noreturn]] void refuse_siblings(const For& bound) const {
    throw LowerError(fmt::format(
        "{}: {} does not enclose all that its kernel does there: bind the loops of one stage, guard its tails, and "
        "compute others inside its innermost bound loop",
        result_.name, quote(bound)));
  }

  Program result_;
  const Target& target_;
  std::vector<Var> bound_vars_;  ///< of the enclosing bound loops
};

}  // namespace

Program split_launches(Program program, PassContext& context) { return Splitter(program, context.target).result(); }

}  // namespace nestwright::passes
