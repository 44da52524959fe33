#include "lower/support/constant_index.h"

#include "ir/traversal/linear.h"

namespace nestwright {

using namespace ir;

std::optional<ConstantIndex> constant_index(const Expr& index) {
  const auto* ramp = index.as<Ramp>();
  const auto* broadcast = index.as<Broadcast>();
  const Expr& base = ramp ? ramp->base : broadcast ? broadcast->value : index;
  if (!base.type().is_scalar()) return std::nullopt;
  const Linear linear = to_linear(base);
  if (!linear.is_constant()) return std::nullopt;
  const std::int64_t* stride = ramp ? as_const_int(ramp->stride) : nullptr;
  if (ramp && !stride) return std::nullopt;
  return ConstantIndex{linear.constant, stride ? *stride : 0, index.lanes()};
}

}  // namespace nestwright
