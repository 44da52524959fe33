#include "ir/analysis/lanes.h"

#include <algorithm>

#include "ir/core/one_of.h"
#include "ir/traversal/equal.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

class LaneTaker {
 public:
  LaneTaker(int lane, const LaneVars& vars, const std::vector<HeldLoad>& held)
      : lane_(lane), vars_(vars), held_(held) {}

  Expr take(const Expr& e) const {
    if (!e.defined() || e.type().is_scalar()) return e;
    return std::visit(
        overloaded{[&](const Ramp& n) { return n.base + n.stride * make_int(lane_, n.stride.type()); },
                   [&](const Broadcast& n) { return n.value; },
                   [&](const VarRef& n) -> Expr { return vars_.at(n.var)[static_cast<std::size_t>(lane_)]; },
                   [&](const Binary& n) { return make_binary(n.op, take(n.a), take(n.b)); },
                   [&](const Not& n) { return make_not(take(n.a)); },
                   [&](const Select& n) { return make_select(take(n.condition), take(n.if_true), take(n.if_false)); },
                   [&](const Cast& n) { return make_cast(e.type().element(), take(n.value)); },
                   [&](const Load& n) { return load(n, e); },
                   [&](const Call& n) { return make_call(n.intrinsic, take(n.args), e.type().element()); },
                   [&](const CallExtern& n) { return make_call_extern(n.function, take(n.args), e.type().element()); },
                   [&](const OneOf<IntImm, FloatImm, Reduce> auto&) -> Expr {
                     throw InternalError("internal error: a vector that has no lanes: " + to_string(e));
                   }},
        e.node().value);
  }
  std::vector<Expr> take(const std::vector<Expr>& all) const {
    std::vector<Expr> taken;
    for (const Expr& e : all) taken.push_back(take(e));
    return taken;
  }

 private:
  Expr load(const Load& n, const Expr& e) const {
    for (const HeldLoad& held : held_) {
      if (equal(held.load, e)) return held.lanes[static_cast<std::size_t>(lane_)];
    }
    return make_load(n.buffer, take(n.indices), take(n.mask));
  }

  int lane_;
  const LaneVars& vars_;
  const std::vector<HeldLoad>& held_;
};

}  // namespace

Expr at_lane(const Expr& e, int lane, const LaneVars& vars, const std::vector<HeldLoad>& held) {
  return LaneTaker(lane, vars, held).take(e);
}

std::vector<Expr> at_lane(const std::vector<Expr>& indices, int lane, const LaneVars& vars,
                          const std::vector<HeldLoad>& held) {
  return LaneTaker(lane, vars, held).take(indices);
}

int lanes_of(const std::vector<Expr>& indices) {
  int lanes = 1;
  for (const Expr& index : indices) lanes = std::max(lanes, index.lanes());
  return lanes;
}

Expr common_mask(const Expr& mask) {
  if (mask.lanes() == 1) return mask;
  const Expr first = at_lane(mask, 0);
  for (int lane = 1; lane < mask.lanes(); ++lane) {
    if (!equal(at_lane(mask, lane), first)) return {};
  }
  return first;
}

}  // namespace nestwright::ir
