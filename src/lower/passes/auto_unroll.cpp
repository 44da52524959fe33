#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "lower/passes.h"

namespace nestwright::passes {
namespace {

using namespace ir;

class Unroller : public Mutator {
 public:
  explicit Unroller(std::int64_t steps) : steps_(steps) {}
  using Mutator::mutate;
  Expr mutate(const Expr& e) override { return e; }

  /// Adds the number of statements that `s` has after unrolling to count_, which is limited to steps_ + 1.
  Stmt mutate(const Stmt& s) override {
    if (!s.defined()) return s;
    const std::int64_t before = count_;
    count_ = 0;
    Stmt result = mutate_children(s);
    std::int64_t own = count_;
    if (s.as<Store>() || s.as<Prefetch>()) own = 1;
    if (const auto* loop = result.as<For>()) {
      const std::int64_t* extent = as_const_int(loop->extent);
      const std::int64_t unrolled = extent != nullptr ? std::min(*extent * own, steps_ + 1) : steps_ + 1;
      if (loop->kind == LoopKind::kSerial && unrolled <= steps_) {
        result = make_for(loop->var, loop->min, loop->extent, LoopKind::kUnrolled, loop->body);
        own = unrolled;
      } else if (loop->kind == LoopKind::kVectorized) {
        own = std::max<std::int64_t>(own, 1);
      } else {
        own =
            loop->kind == LoopKind::kUnrolled ? unrolled : steps_ + 1;  // loops around a loop that stays do not unroll
      }
    }
    count_ = std::min(before + own, steps_ + 1);
    return result;
  }

 private:
  std::int64_t steps_;
  std::int64_t count_ = 0;
};

}  // namespace

Program auto_unroll(Program program, PassContext& context) {
  return on_pragmas(std::move(program), context.notes, PragmaKind::kAutoUnroll,
                    [](const Stmt& loop, const LoopPragma& pragma) { return Unroller(pragma.value).mutate(loop); });
}

}  // namespace nestwright::passes
