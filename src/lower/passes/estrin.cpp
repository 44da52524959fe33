// Applies the pragma estrin: marks the calls of functions inside a loop, which vector_math() expands.
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "lower/support/vector_math.h"

namespace nestwright::passes {
namespace {

using namespace ir;

class Marker final : public Mutator {
 public:
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const auto* call = e.defined() ? e.as<Call>() : nullptr;
    // An inner loop has the pragma, too.
    if (call != nullptr && call->intrinsic == Intrinsic::kEstrin) return e;
    Expr result = mutate_children(e);
    if (call == nullptr || !is_expanded(call->intrinsic, e.type())) return result;
    return make_call(Intrinsic::kEstrin, {std::move(result)}, e.type());
  }
};

}  // namespace

Program estrin(Program program, PassContext& context) {
  return on_pragmas(std::move(program), context.notes, PragmaKind::kEstrin,
                    [](const Stmt& loop, const LoopPragma&) { return Marker().mutate(loop); });
}

}  // namespace nestwright::passes
