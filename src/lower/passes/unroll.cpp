#include "lower/passes.h"
#include "lower/support/copier.h"
#include "lower/support/unroll_limit.h"

namespace nestwright::passes {
namespace {

using namespace ir;

class Unroller final : public Copier {
 public:
  Unroller() : Copier({}, false) {}
  using Copier::mutate;

  Stmt mutate(const Stmt& s) override {
    const auto* loop = s.defined() ? s.as<For>() : nullptr;
    if (loop == nullptr || loop->kind != LoopKind::kUnrolled) return Copier::mutate(s);
    const Expr first = Copier::mutate(loop->min);
    const std::int64_t extent = unrolled_extent(*loop);
    const bool fresh = fresh_;
    std::vector<Stmt> copies;
    for (std::int64_t i = 0; i < extent; ++i) {
      fresh_ = fresh || i > 0;
      with_[loop->var] = first + Expr(i);
      copies.push_back(mutate(loop->body));
    }
    with_.erase(loop->var);
    fresh_ = fresh;
    return block(std::move(copies));
  }
};

}  // namespace

Program unroll(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& body) {
    limit_unrolling(body);
    return Unroller().mutate(body);
  });
}

}  // namespace nestwright::passes
