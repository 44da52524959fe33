#include "lower/support/vector_math.h"

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "lower/support/elementary.h"
#include "nestwright/expr.h"

namespace nestwright::passes {
namespace {

using namespace ir;

class Expander final : public Mutator {
 public:
  explicit Expander(Elementary::Machine machine) : machine_(machine) {}

  Expr mutate(const Expr& e) override {
    const auto* call = e.defined() ? e.as<Call>() : nullptr;
    PolynomialForm form = PolynomialForm::kHorner;
    if (call != nullptr && call->intrinsic == Intrinsic::kEstrin) {
      form = PolynomialForm::kEstrin;
      call = call->args[0].as<Call>();
    }
    if (call == nullptr || !is_expanded(call->intrinsic, e.type())) return mutate_children(e);
    const Expr operand = cast(kFloat32, mutate(call->args[0]));
    for (const Known& known : known_) {
      if (known.intrinsic == call->intrinsic && equal(known.operand, operand)) return cast(e.type(), known.value);
    }
    Elementary formulas(machine_, form, lets_);
    const Expr value = formulas.hold(intrinsic_name(call->intrinsic), formulas.apply(call->intrinsic, operand));
    known_.push_back({call->intrinsic, operand, value});
    return cast(e.type(), value);
  }

  // Binds lets before the statement whose own expressions use them.
  Stmt mutate(const Stmt& s) override {
    Elementary::Lets outer_lets;
    std::vector<Known> outer_known;
    std::swap(lets_, outer_lets);
    std::swap(known_, outer_known);
    Stmt result = mutate_children(s);
    for (auto let = lets_.rbegin(); let != lets_.rend(); ++let) {
      result = make_let(let->first, let->second, std::move(result));
    }
    std::swap(lets_, outer_lets);
    std::swap(known_, outer_known);
    return result;
  }

 private:
  /// A call that the statement has already computed.
  struct Known {
    Intrinsic intrinsic;
    Expr operand, value;
  };

  Elementary::Machine machine_;
  Elementary::Lets lets_;
  std::vector<Known> known_;
};

}  // namespace

Program vector_math(Program program, PassContext& context) {
  const Elementary::Machine machine{.fma = context.target.has_fma(), .scale = context.target.isa == CpuIsa::kAvx512};
  return on_kernels(std::move(program), [&](const Stmt& body) { return Expander(machine).mutate(body); });
}

}  // namespace nestwright::passes
