// Selects word loads and dot-product instructions on words of bytes and halves: a join of parts that are adjacent in
// memory becomes one load of the word, and a dot product the CPU's instruction. Others are computed part by part.
#include <utility>
#include <vector>

#include "ir/simplify/vector_access.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"

namespace nestwright::passes {
namespace {

using namespace ir;

/// Whether the CPU multiplies vectors of `words` pairs of int16, as every x86-64 does up to its vector width.
bool has_pmaddwd(int words, CpuIsa isa) {
  return words == 4 || (words == 8 && isa != CpuIsa::kX86_64) || (words == 16 && isa == CpuIsa::kAvx512);
}

class Selector final : public Mutator {
 public:
  explicit Selector(const Target& target) : target_(target) {}
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    if (!e.defined()) return e;
    const Expr inside = mutate_children(e);
    const auto* call = inside.as<Call>();
    if (call == nullptr) return inside;
    const Intrinsic selected = select(*call, inside.lanes());
    return selected == call->intrinsic ? inside : make_call(selected, call->args, inside.type());
  }

 private:
  Intrinsic select(const Call& call, int lanes) const {
    using enum Intrinsic;
    const Intrinsic intrinsic = call.intrinsic;
    if (intrinsic == kJoinBytes || intrinsic == kJoinHalves) {
      if (first_of_adjacent(call.args, lanes) == nullptr) return intrinsic;
      return intrinsic == kJoinBytes ? kLoadBytes : kLoadHalves;
    }
    if (lanes != 4 && lanes != 8 && lanes != 16) return intrinsic;
    if (intrinsic == kDotBF16 && target_.has(CpuFeature::kAvx512Bf16)) return kVdpbf16ps;
    if (intrinsic == kDotU8S8 && target_.has(CpuFeature::kAvx512Vnni)) return kVpdpbusd;
    if (intrinsic == kDotS16 && target_.has(CpuFeature::kAvx512Vnni)) return kVpdpwssd;
    return intrinsic == kDotS16 && has_pmaddwd(lanes, target_.isa) ? kPmaddwd : intrinsic;
  }

  const Target& target_;
};

}  // namespace

Program dot_products(Program program, PassContext& context) {
  return on_kernels(std::move(program), [&](const Stmt& body) { return Selector(context.target).mutate(body); });
}

}  // namespace nestwright::passes
