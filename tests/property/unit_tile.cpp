// Computes made of tiles that an intrinsic can replace: its pattern, with several tiles along each axis, inside up to
// two more axes.
#include <algorithm>
#include <map>

#include "ir/traversal/rewrite.h"
#include "nestwright/reduction.h"
#include "tests/property/builder.h"
#include "tests/property/intrinsics.h"

namespace nestwright::property {
namespace {

using ir::Load;

/// The pattern's body with other tensors in place of its placeholders, and further leading indices.
class Enlarge : public ir::Mutator {
 public:
  Enlarge(const std::map<Buffer, Tensor>& inputs, const std::map<Buffer, std::vector<Expr>>& leading)
      : inputs_(inputs), leading_(leading) {}
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const auto* load = e.as<Load>();
    if (load == nullptr) return mutate_children(e);
    std::vector<Expr> indices = leading_.at(load->buffer);
    indices.insert(indices.end(), load->indices.begin(), load->indices.end());
    return inputs_.at(load->buffer).at(std::move(indices));
  }

 private:
  const std::map<Buffer, Tensor>& inputs_;
  const std::map<Buffer, std::vector<Expr>>& leading_;
};

/// The axis at index `d` of the load of `input`.
Var axis_of(const std::vector<Expr>& bodies, const Tensor& input, std::size_t d) {
  Var found;
  ir::for_each_expr(bodies[0], [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load != nullptr && load->buffer == input.buffer()) found = load->indices[d].as<ir::VarRef>()->var;
  });
  return found;
}

}  // namespace

void Builder::add_tile(Choices& choices) {
  const TensorIntrinsic& intrinsic = choices.of(own_intrinsics());
  const ComputeOp& pattern = *intrinsic.pattern.op().compute();
  // The extent of each axis, by its variable.
  std::map<Var, Dim> extents;
  std::int64_t points = 1;
  double reduced = 1;
  const auto enlarge = [&](const IterVar& axis) {
    const std::int64_t tile = *ir::as_const_int(axis.extent());
    std::int64_t extent = tile * choices.between(1, 3);
    if (choices.chance(4)) ++extent;  // a tail, which no intrinsic can cut
    extents[axis.var()] = Dim::constant(extent);
    points *= extent;
    if (axis.is_reduce()) reduced *= static_cast<double>(extent);
  };
  for (const IterVar& axis : pattern.axes) enlarge(axis);
  for (const IterVar& axis : pattern.reduce_axes) enlarge(axis);
  std::vector<Dim> outer;
  for (int more = static_cast<int>(choices.weighted({30, 50, 20})); more > 0; --more) {
    const Dim dim = draw_dim(choices, std::clamp<std::int64_t>(kMaxPoints / points, 1, 5));
    points *= dim.value();
    outer.push_back(dim);
  }

  // Inputs have the extents of the axes that index them; some have a row for each iteration of the outer axes, and some
  // are computed.
  std::map<Buffer, Tensor> inputs;
  std::map<Buffer, std::vector<std::size_t>> rows;  // the outer axes that index the input
  for (const Tensor& small : intrinsic.inputs) {
    std::vector<Dim> shape;
    std::vector<std::size_t>& leading = rows[small.buffer()];
    for (std::size_t n = 0; n < outer.size(); ++n) {
      if (!choices.chance(60)) continue;
      leading.push_back(n);
      shape.push_back(outer[n]);
    }
    for (int d = 0; d < small.rank(); ++d)
      shape.push_back(extents.at(axis_of(pattern.values(), small, static_cast<std::size_t>(d))));
    Made source = new_input(shape, small.dtype());
    if (choices.chance(35)) {
      const auto body = [&](std::span<const Expr> at) { return source.tensor(at) + ir::make_const(1, small.dtype()); };
      source.tensor = compute_span(exprs(shape), body, next_name(source.tensor.name()));
      result_.computes.push_back(source.tensor);
    }
    inputs[small.buffer()] = source.tensor;
  }

  std::vector<Dim> shape = outer;
  for (const IterVar& axis : pattern.axes) shape.push_back(extents.at(axis.var()));
  const auto body = [&](std::span<const Expr> indices) {
    ir::Substitution with;
    std::vector<IterVar> reduce_axes;
    for (std::size_t d = 0; d < pattern.axes.size(); ++d) with[pattern.axes[d].var()] = indices[outer.size() + d];
    for (const IterVar& axis : pattern.reduce_axes) {
      reduce_axes.push_back(reduce_axis(extents.at(axis.var()).expr(), axis.name()));
      with[axis.var()] = reduce_axes.back();
    }
    std::map<Buffer, std::vector<Expr>> leading;
    for (const auto& [buffer, axes] : rows)
      for (const std::size_t n : axes) leading[buffer].push_back(indices[n]);
    for (const auto& [buffer, tensor] : inputs) leading[buffer];
    const Expr value = ir::substitute(Enlarge(inputs, leading).mutate(pattern.values()[0]), with);
    if (reduce_axes.empty()) return value;
    result_.reducers.push_back(pattern.reduction()->reducer);
    return reduce(pattern.reduction()->reducer, value, reduce_axes);
  };
  Made made{compute_span(exprs(shape), body, next_name()), shape, 25 * reduced};
  result_.computes.push_back(made.tensor);
  result_.tiles.push_back({made.tensor, intrinsic});
  add_result(std::move(made), choices.chance(15));
}

}  // namespace nestwright::property
