#include "nestwright/schedule.h"

#include <fmt/format.h>

#include "nestwright/error.h"
#include "nestwright/expr_nodes.h"

namespace nestwright {

std::vector<Expr> TensorSlice::indices(const std::vector<Expr>& offsets) const {
  if (offsets.size() > start.size()) {
    throw UsageError(fmt::format("{} offsets are given into {}, which has {} dimensions", offsets.size(), buffer->name,
                                 start.size()));
  }
  std::vector<Expr> result = start;
  const std::size_t first = start.size() - offsets.size();
  for (std::size_t d = 0; d < offsets.size(); ++d) result[first + d] = result[first + d] + offsets[d];
  return result;
}

Expr TensorSlice::load(const std::vector<Expr>& offsets) const { return ir::make_load(buffer, indices(offsets)); }

ir::Stmt TensorSlice::store(const std::vector<Expr>& offsets, Expr value) const {
  return ir::make_store(buffer, indices(offsets), std::move(value));
}

TensorIntrinsic dot_u8s8_16x4() {
  constexpr int kLanes = 16, kBytes = 4;
  TensorIntrinsic result;
  result.name = "dot_u8s8_16x4";
  const Tensor a = placeholder({kBytes}, kUInt8, "a"), b = placeholder({kLanes, kBytes}, kInt8, "b");
  const IterVar k = nestwright::reduce_axis(kBytes, "k");
  result.inputs = {a, b};
  result.pattern = compute({kLanes}, [&](Expr l) { return sum(cast(kInt32, a(k)) * cast(kInt32, b(l, k)), k); }, "dot");
  result.emit = [](const TensorSlice& output, std::span<const TensorSlice> inputs) {
    const Var lane("lane");
    std::vector<Expr> of_a, of_b;
    for (int byte = 0; byte < kBytes; ++byte) {
      of_a.push_back(ir::cast(kInt32, inputs[0].load({byte})));
      of_b.push_back(ir::cast(kInt32, inputs[1].load({lane, byte})));
    }
    const Expr dot = ir::dot(ir::Intrinsic::kDotU8S8, output.load({lane}), ir::join(of_a), ir::join(of_b));
    return ir::make_for(lane, 0, kLanes, ir::LoopKind::kVectorized, output.store({lane}, dot));
  };
  result.init = [](const TensorSlice& output) {
    const Var lane("lane");
    return ir::make_for(lane, 0, kLanes, ir::LoopKind::kVectorized, output.store({lane}, ir::make_int(0, kInt32)));
  };
  return result;
}

TensorIntrinsic find_tensor_intrinsic(const std::string& name) {
  TensorIntrinsic only = dot_u8s8_16x4();
  if (name == only.name) return only;
  throw UsageError(fmt::format("'{}' is no built-in intrinsic: known are {}", name, only.name));
}

}  // namespace nestwright
