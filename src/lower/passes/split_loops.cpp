// Splits a serial or unrolled loop over the main bodies and the tail of a partitioned split, so that its body needs no
// branch.
//
//   for i in 0..n:                  for i in 0..c:
//     if i < c: main         ->       main
//     else: tail                    for i in c..n:
//                                     tail
#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "lower/passes.h"

namespace nestwright::passes {
namespace {

using namespace ir;

class LoopSplitter : public Mutator {
 public:
  using Mutator::mutate;
  Expr mutate(const Expr& e) override { return e; }
  Stmt mutate(const Stmt& s) override {
    const Stmt inside = mutate_children(s);
    const auto* loop = inside.defined() ? inside.as<For>() : nullptr;
    const bool in_order = loop != nullptr && (loop->kind == LoopKind::kSerial || loop->kind == LoopKind::kUnrolled);
    return in_order ? split(inside, *loop) : inside;
  }

 private:
  static Stmt split(const Stmt& s, const For& loop) {
    const auto* branch = loop.body.as<IfThenElse>();
    const std::int64_t* min = as_const_int(loop.min);
    const std::int64_t* extent = as_const_int(loop.extent);
    const auto* test = branch != nullptr ? branch->condition.as<Binary>() : nullptr;
    if (test == nullptr || test->op != BinaryOp::kLt || min == nullptr || extent == nullptr) return s;
    const auto* tested = test->a.as<VarRef>();
    const std::int64_t* bound = as_const_int(test->b);
    if (tested == nullptr || !(tested->var == loop.var) || bound == nullptr) return s;
    const std::int64_t end = *min + *extent, cut = std::clamp(*bound, *min, end);
    std::vector<Stmt> loops;
    if (cut > *min) loops.push_back(make_for(loop.var, loop.min, cut - *min, loop.kind, branch->then_case));
    if (end > cut && branch->else_case.defined()) {
      const Var var(loop.var.name());
      const Stmt rest = substitute(branch->else_case, {{loop.var, var}});
      // The tail of a composed split has further segments.
      const Stmt tail = make_for(var, cut, end - cut, loop.kind, rest);
      loops.push_back(tail.defined() ? split(tail, *tail.as<For>()) : tail);
    }
    return block(std::move(loops));
  }
};

}  // namespace

Program split_loops(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& body) { return LoopSplitter().mutate(body); });
}

}  // namespace nestwright::passes
