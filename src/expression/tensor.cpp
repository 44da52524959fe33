#include "nestwright/tensor.h"

#include <fmt/format.h>

#include <algorithm>

#include "expression/body_size.h"
#include "expression/operations.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

void check_extent(const Expr& extent, const std::string& what) {
  if (!extent.defined()) throw UsageError(fmt::format("{} is undefined: give a number or a variable", what));
  if (extent.type() != ir::Type{kIndex}) {
    throw UsageError(fmt::format("{} is {}: an extent is {}", what, extent.type().str(), ir::Type{kIndex}.str()));
  }
  if (ir::reads_data(extent) || ir::any_expr(extent, [](const Expr& part) { return part.type().is_float(); })) {
    throw UsageError(
        fmt::format("{} is {}: an extent is made of integers and variables, which a call knows before "
                    "it reads anything",
                    what, ir::to_string(extent)));
  }
  const std::int64_t* constant = ir::as_const_int(extent);
  if (constant != nullptr && *constant < 1) {
    throw UsageError(fmt::format("{} is {}: an extent is at least 1", what, *constant));
  }
}

void check_shape(const std::vector<Expr>& shape, const std::string& name) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    check_extent(shape[d], fmt::format("extent {} of tensor '{}'", d, name));
  }
  if (!is_addressable(shape)) {
    throw UsageError(fmt::format("tensor '{}' is larger than any address space: give smaller sizes", name));
  }
}

bool mentions(const Expr& e, const std::vector<IterVar>& axes) {
  return ir::any_expr(e, [&](const Expr& part) {
    const auto* ref = part.as<ir::VarRef>();
    if (ref == nullptr) return false;
    return std::any_of(axes.begin(), axes.end(), [&](const IterVar& a) { return a.var() == ref->var; });
  });
}

/// Refuses a reduction that is not the whole body, and bodies that are not members of one reduction.
void check_reductions(const std::vector<Expr>& bodies, const std::string& name) {
  const auto* first = bodies.front().as<ir::Reduce>();
  for (const Expr& body : bodies) {
    int reductions = 0;
    ir::for_each_expr(body, [&](const Expr& part) { reductions += part.as<ir::Reduce>() != nullptr ? 1 : 0; });
    const auto* top = body.as<ir::Reduce>();
    if (reductions > (top != nullptr ? 1 : 0)) {
      throw UsageError(fmt::format("tensor '{}' has a reduction inside its body: make another tensor of it", name));
    }
    const auto same_list = [](const auto& a, const auto& b, const auto& same) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
    };
    const bool together =
        (top == nullptr) == (first == nullptr) &&
        (top == nullptr || bodies.size() == 1 ||
         (top->combiner != nullptr && top->combiner == first->combiner &&
          top->result == static_cast<int>(&body - bodies.data()) && top->values.size() == bodies.size() &&
          same_list(top->values, first->values, [](const Expr& x, const Expr& y) { return x.same_as(y); }) &&
          same_list(top->init, first->init, [](const Expr& x, const Expr& y) { return x.same_as(y); }) &&
          same_list(top->axes, first->axes,
                    [](const ir::ReduceAxis& x, const ir::ReduceAxis& y) { return x.var == y.var; })));
    if (!together) {
      throw UsageError(
          fmt::format("the bodies of tensor '{}' are not the members of one reduction, in order: make a tensor of each "
                      "reduction, or one user-made reducer of all",
                      name));
    }
  }
}

/// The axes of the bodies' reduction; empty where there is none.
std::vector<IterVar> reduce_axes_of(const ir::Reduce* reduce, const std::vector<IterVar>& axes,
                                    const std::string& name) {
  std::vector<IterVar> result;
  if (reduce == nullptr) return result;
  for (const ir::ReduceAxis& axis : reduce->axes) {
    if (mentions(axis.extent, axes) || mentions(axis.min, axes)) {
      throw UsageError(
          fmt::format("the domain of reduce axis '{}' depends on an index of tensor '{}': make it a "
                      "constant or a symbol and select inside the reduction",
                      axis.var.name(), name));
    }
    result.emplace_back(axis.var, axis.min, axis.extent, AxisKind::kReduce, axis.may_be_part);
  }
  return result;
}

/// Refuses a reducer whose identity or combination has a meaning only at one element: it mentions an index or an axis,
/// or reads a tensor.
void check_combiner(const ir::Reduce* reduce, const ComputeOp& op, const std::string& name) {
  if (reduce == nullptr || reduce->combiner == nullptr) return;
  const ir::Combiner& combiner = *reduce->combiner;
  const auto check = [&](const std::vector<Expr>& parts, const char* what) {
    for (const Expr& part : parts) {
      const bool reads = ir::reads_memory(part);
      if (!reads && !mentions(part, op.axes) && !mentions(part, op.reduce_axes)) continue;
      throw UsageError(fmt::format("the {} of reducer '{}' in tensor '{}', {}, {}: all elements of the tensor share it",
                                   what, combiner.name, name, ir::to_string(part),
                                   reads ? "reads a tensor" : "depends on an index"));
    }
  };
  check(combiner.identity, "identity");
  check(combiner.combined, "combination");
}

std::vector<Operation> inputs_of(const std::vector<Expr>& bodies, const std::string& name) {
  std::vector<Operation> result;
  const auto look = [&](const Expr& part) {
    const auto* load = part.as<ir::Load>();
    if (load == nullptr) return;
    const Operation op = operation_of(load->buffer);
    if (!op.defined()) {
      throw UsageError(fmt::format("tensor '{}' reads '{}', which no longer exists: keep the Tensor until it is used",
                                   name, load->buffer->name));
    }
    if (std::find(result.begin(), result.end(), op) == result.end()) result.push_back(op);
  };
  for (const Expr& body : bodies) ir::for_each_expr(body, look);
  return result;
}

void check_strides(const std::vector<Expr>& strides, std::size_t rank, const std::string& name) {
  if (strides.empty() || strides.size() == rank) return;
  throw UsageError(fmt::format("tensor '{}' has {} dimensions, but {} strides: give one for each, or none", name, rank,
                               strides.size()));
}

std::string axis_name(std::size_t dimension, std::size_t rank) {
  constexpr const char* kUsual[] = {"i", "j", "k", "l"};
  return rank <= 3 ? std::string(kUsual[dimension]) : fmt::format("i{}", dimension);
}

}  // namespace

namespace detail {
void check_arity(std::size_t rank, std::size_t arity) {
  if (rank == arity) return;
  throw UsageError(
      fmt::format("the shape has {} dimensions, but the body takes {} indices: give one for each", rank, arity));
}
}  // namespace detail

std::vector<Expr> ComputeOp::operands() const {
  std::vector<Expr> result = values();
  if (reduction() != nullptr) result.insert(result.end(), reduction()->init.begin(), reduction()->init.end());
  return result;
}

void Operation::refuse_undefined() {
  throw UsageError("an undefined tensor is used: make it by placeholder or compute");
}

Expr Tensor::at(std::vector<Expr> indices) const {
  if (!defined()) throw UsageError("this tensor is undefined: make it by placeholder or compute before it is read");
  if (static_cast<int>(indices.size()) != rank()) {
    throw UsageError(
        fmt::format("tensor '{}' has {} dimensions, but is read with {} indices", name(), rank(), indices.size()));
  }
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d].defined()) throw UsageError(fmt::format("index {} of tensor '{}' is undefined", d, name()));
    if (!indices[d].type().is_int()) {
      throw UsageError(fmt::format("index {} of tensor '{}' is not an integer: cast it", d, name()));
    }
    if (indices[d].type() != ir::Type{kIndex}) indices[d] = ir::cast(ir::Type{kIndex}, indices[d]);
  }
  return ir::make_load(buffer(), std::move(indices));
}

Var var(std::string name, Type type) {
  check_name(name);
  return Var(std::move(name), type);
}

Tensor placeholder(std::vector<Expr> shape, Type type, std::string name, std::vector<Expr> strides) {
  check_name(name);
  check_shape(shape, name);
  check_strides(strides, shape.size(), name);
  if (!type.is_scalar()) throw UsageError(fmt::format("tensor '{}' of {}: elements are scalars", name, type.str()));
  const int alignment = type.bytes();  // every array of the caller has this alignment
  Buffer buffer(name, type, std::move(shape), ir::Scope::kGlobal, std::move(strides), alignment);
  return Tensor(make_operation({std::move(name), PlaceholderOp{}, {std::move(buffer)}, {}}));
}

namespace {
IterVar checked_reduce_axis(Expr min, Expr extent, std::string name, bool may_be_part) {
  check_name(name);
  check_extent(extent, fmt::format("the extent of reduce axis '{}'", name));
  if (!min.defined() || min.type() != ir::Type{kIndex}) {
    throw UsageError(fmt::format("the start of reduce axis '{}' is not of type {}", name, ir::Type{kIndex}.str()));
  }
  return {Var(std::move(name)), std::move(min), std::move(extent), AxisKind::kReduce, may_be_part};
}
}  // namespace

IterVar reduce_axis(Expr extent, std::string name) {
  return checked_reduce_axis(Expr(0), std::move(extent), std::move(name), false);
}

IterVar reduce_axis(Expr min, Expr extent, std::string name) {
  return checked_reduce_axis(std::move(min), std::move(extent), std::move(name), true);
}

namespace {

std::vector<Tensor> compute_results(std::vector<Expr> shape,
                                    const std::function<std::vector<Expr>(std::span<const Expr>)>& bodies,
                                    std::string name, const std::vector<Expr>& strides) {
  check_name(name);
  check_shape(shape, name);
  check_strides(strides, shape.size(), name);
  ComputeOp op;
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    op.axes.emplace_back(axis_name(d, shape.size()), Expr(0), shape[d], AxisKind::kSpatial);
    indices.emplace_back(op.axes.back());
  }
  if (!bodies) throw UsageError(fmt::format("tensor '{}' has no body: give a function of its indices", name));
  op.bodies = bodies(indices);
  if (op.bodies.empty()) throw UsageError(fmt::format("tensor '{}' has no body: give one for each result", name));
  for (const Expr& body : op.bodies) {
    if (!body.defined()) throw UsageError(fmt::format("the body of tensor '{}' is undefined", name));
    if (!body.type().is_scalar()) throw UsageError(fmt::format("the body of tensor '{}' is a vector", name));
  }
  if (const std::string excess = size_limit_violation(op.bodies); !excess.empty()) {
    throw UsageError(
        fmt::format("the body of tensor '{}' is too large, for {}: make tensors of its parts", name, excess));
  }
  check_reductions(op.bodies, name);
  op.reduce_axes = reduce_axes_of(op.reduction(), op.axes, name);
  check_combiner(op.reduction(), op, name);
  std::vector<Operation> inputs = inputs_of(op.bodies, name);
  std::vector<Buffer> results;
  for (const Expr& body : op.bodies) {
    const int alignment = body.type().bytes();  // the result may be an array of the caller's
    results.emplace_back(result_name(name, results.size(), op.bodies.size()), body.type(), shape, ir::Scope::kGlobal,
                         strides, alignment);
  }
  const std::size_t count = results.size();
  const Operation made = make_operation({std::move(name), std::move(op), std::move(results), std::move(inputs)});
  std::vector<Tensor> tensors;
  for (std::size_t r = 0; r < count; ++r) tensors.emplace_back(made, static_cast<int>(r));
  return tensors;
}

}  // namespace

std::vector<Tensor> compute_tuple(std::vector<Expr> shape,
                                  const std::function<std::vector<Expr>(std::span<const Expr>)>& bodies,
                                  std::string name) {
  return compute_results(std::move(shape), bodies, std::move(name), {});
}

Tensor compute_span(std::vector<Expr> shape, const std::function<Expr(std::span<const Expr>)>& body, std::string name,
                    std::vector<Expr> strides) {
  if (!body) throw UsageError(fmt::format("tensor '{}' has no body: give a function of its indices", name));
  const auto only = [&](std::span<const Expr> indices) { return std::vector<Expr>{body(indices)}; };
  return compute_results(std::move(shape), only, std::move(name), strides).front();
}

}  // namespace nestwright
