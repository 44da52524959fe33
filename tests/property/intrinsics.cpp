#include "tests/property/intrinsics.h"

#include <fmt/format.h>

namespace nestwright::property {
namespace {

using Slices = std::span<const TensorSlice>;

/// C[l] = 3*A[l] + B[l] as a vector: no reduction.
TensorIntrinsic scaled_sum(Type type, int lanes) {
  TensorIntrinsic result;
  result.name = fmt::format("scaled_sum_{}_{}", type.str(), lanes);
  const Tensor a = placeholder({lanes}, type, "a"), b = placeholder({lanes}, type, "b");
  const Expr three = ir::make_const(3, type);
  result.inputs = {a, b};
  result.pattern = compute({lanes}, [&](Expr l) { return a(l) * three + b(l); }, "c");
  result.emit = [=](const TensorSlice& output, Slices inputs) {
    const Var lane("lane");
    return ir::make_for(lane, 0, lanes, ir::LoopKind::kVectorized,
                        output.store({lane}, inputs[0].load({lane}) * three + inputs[1].load({lane})));
  };
  return result;
}

/// C[i, j] = A[j, i]: statements without a loop.
TensorIntrinsic transposed(Type type, int rows, int columns) {
  TensorIntrinsic result;
  result.name = fmt::format("transposed_{}_{}x{}", type.str(), rows, columns);
  const Tensor a = placeholder({columns, rows}, type, "a");
  result.inputs = {a};
  result.pattern = compute({rows, columns}, [&](Expr i, Expr j) { return a(j, i); }, "c");
  result.emit = [=](const TensorSlice& output, Slices inputs) {
    std::vector<ir::Stmt> stores;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) stores.push_back(output.store({i, j}, inputs[0].load({j, i})));
    return ir::block(std::move(stores));
  };
  return result;
}

/// C[l] += A[k] * B[l, k]: one statement for each tile, which sums in another order than the loops.
TensorIntrinsic dot(Type type, int lanes, int depth, bool has_init) {
  TensorIntrinsic result;
  result.name = fmt::format("dot_{}_{}x{}", type.str(), lanes, depth);
  const Tensor a = placeholder({depth}, type, "a"), b = placeholder({lanes, depth}, type, "b");
  const IterVar k = reduce_axis(depth, "k");
  result.inputs = {a, b};
  result.pattern = compute({lanes}, [&](Expr l) { return sum(a(k) * b(l, k), k); }, "c");
  result.emit = [=](const TensorSlice& output, Slices inputs) {
    const Var lane("lane");
    Expr products = inputs[0].load({0}) * inputs[1].load({lane, 0});
    for (int d = 1; d < depth; ++d) products = products + inputs[0].load({d}) * inputs[1].load({lane, d});
    return ir::make_for(lane, 0, lanes, ir::LoopKind::kVectorized,
                        output.store({lane}, output.load({lane}) + products));
  };
  if (!has_init) return result;
  result.init = [=](const TensorSlice& output) {
    const Var lane("lane");
    return ir::make_for(lane, 0, lanes, ir::LoopKind::kVectorized, output.store({lane}, ir::make_const(0, type)));
  };
  return result;
}

/// C[i, j] += A[i, k] * B[k, j] by loops, the reduction outermost.
TensorIntrinsic product(Type type, int rows, int columns, int depth) {
  TensorIntrinsic result;
  result.name = fmt::format("product_{}_{}x{}x{}", type.str(), rows, columns, depth);
  const Tensor a = placeholder({rows, depth}, type, "a"), b = placeholder({depth, columns}, type, "b");
  const IterVar k = reduce_axis(depth, "k");
  result.inputs = {a, b};
  result.pattern = compute({rows, columns}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "c");
  result.emit = [=](const TensorSlice& output, Slices inputs) {
    const Var d("d"), i("i"), j("j");
    const Expr more = inputs[0].load({i, d}) * inputs[1].load({d, j});
    const ir::Stmt row =
        ir::make_for(j, 0, columns, ir::LoopKind::kUnrolled, output.store({i, j}, output.load({i, j}) + more));
    return ir::make_for(d, 0, depth, ir::LoopKind::kSerial, ir::make_for(i, 0, rows, ir::LoopKind::kSerial, row));
  };
  return result;
}

/// C[l] = max(C[l], A[l, k]).
TensorIntrinsic greatest(Type type, int lanes, int depth) {
  TensorIntrinsic result;
  result.name = fmt::format("greatest_{}_{}x{}", type.str(), lanes, depth);
  const Tensor a = placeholder({lanes, depth}, type, "a");
  const IterVar k = reduce_axis(depth, "k");
  result.inputs = {a};
  result.pattern = compute({lanes}, [&](Expr l) { return max(a(l, k), k); }, "c");
  result.emit = [=](const TensorSlice& output, Slices inputs) {
    const Var lane("lane");
    Expr most = output.load({lane});
    for (int d = 0; d < depth; ++d) most = max(most, inputs[0].load({lane, d}));
    return ir::make_for(lane, 0, lanes, ir::LoopKind::kSerial, output.store({lane}, most));
  };
  return result;
}

}  // namespace

const std::vector<TensorIntrinsic>& own_intrinsics() {
  static const std::vector<TensorIntrinsic> all = {
      scaled_sum(kInt32, 2),     dot(kInt32, 3, 2, false),   transposed(kFloat32, 2, 3),
      greatest(kInt8, 4, 3),     product(kFloat32, 2, 2, 2), scaled_sum(kFloat32, 8),
      dot(kFloat32, 8, 2, true), product(kInt64, 1, 4, 3),   dot_u8s8_16x4()};
  return all;
}

}  // namespace nestwright::property
