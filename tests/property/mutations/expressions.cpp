// Mutations of index arithmetic, vectors and selects.
#include "tests/property/mutations/mutation.h"

namespace nestwright::property {
namespace {

using ir::BinaryOp;
using ir::Expr;
using ir::Program;
using MaybeExpr = std::optional<Expr>;

/// Matches x op c in index arithmetic, where c is a constant of at least 2.
template <class F>
auto of_scaling(BinaryOp op, F f) {
  return [op, f](const Expr& e, const Program&) -> MaybeExpr {
    const auto* binary = e.as<ir::Binary>();
    if (binary == nullptr || binary->op != op || e.type() != ir::Type(kIndex)) return {};
    const std::int64_t* c = ir::as_const_int(binary->b);
    if (c == nullptr || *c < 2) return {};
    return ir::make_binary(op, binary->a, f(*c));
  };
}
template <class F>
auto of_select(F f) {
  return [f](const Expr& e, const Program&) -> MaybeExpr {
    const auto* select = e.as<ir::Select>();
    return select != nullptr ? f(*select) : MaybeExpr();
  };
}

}  // namespace

std::vector<Mutation> expression_mutations() {
  return {
      {"wrong_split_factor",
       "an index is made with a factor one too large",
       {},
       of_scaling(BinaryOp::kMul, [](std::int64_t c) { return Expr(c + 1); })},
      {"wrong_divisor",
       "an index is divided by one too much",
       {},
       of_scaling(BinaryOp::kDiv, [](std::int64_t c) { return Expr(c + 1); })},
      {"wrong_modulus",
       "an index is wrapped one too late",
       {},
       of_scaling(BinaryOp::kMod, [](std::int64_t c) { return Expr(c + 1); })},
      {"wrong_slot",
       "the slot next to that of the iteration is read",
       {},
       [](const Expr& e, const Program&) -> MaybeExpr {
         const auto* load = e.as<ir::Load>();
         if (load == nullptr || load->buffer->scope != ir::Scope::kShared) return {};
         const auto* slot = load->indices.front().as<ir::Binary>();
         if (slot == nullptr || slot->op != BinaryOp::kMod) return {};
         std::vector<Expr> indices = load->indices;
         indices.front() = ir::make_binary(BinaryOp::kMod, slot->a + 1, slot->b);
         return ir::make_load(load->buffer, indices, load->mask);
       }},
      {"select_swapped", "the two sides of a select are swapped", {}, of_select([](const ir::Select& s) -> MaybeExpr {
         return ir::make_select(s.condition, s.if_false, s.if_true);
       })},
      {"select_always_true",
       "the side of a select that pads is never taken",
       {},
       of_select([](const ir::Select& s) -> MaybeExpr { return s.if_true; })},
      {"wrong_lane_stride",
       "the lanes of a vector are two elements apart",
       {},
       [](const Expr& e, const Program&) -> MaybeExpr {
         const auto* ramp = e.as<ir::Ramp>();
         if (ramp == nullptr) return {};
         return ir::make_ramp(ramp->base, ramp->stride + 1, e.lanes());
       }},
      {"lanes_shifted",
       "a vector starts one lane further",
       {},
       [](const Expr& e, const Program&) -> MaybeExpr {
         const auto* ramp = e.as<ir::Ramp>();
         if (ramp == nullptr) return {};
         return ir::make_ramp(ramp->base + 1, ramp->stride, e.lanes());
       }},
  };
}

}  // namespace nestwright::property
