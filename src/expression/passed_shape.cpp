#include "nestwright/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expression/operations.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

/// The number of elements of `tensor`. Throws UsageError as passed_as does.
std::int64_t constant_elements(const Tensor& tensor) {
  if (tensor.op()->results.size() > 1 || tensor.op().scan() != nullptr) {
    throw UsageError(
        fmt::format("tensor '{}' is a scan or one of several results, which cannot be passed in another "
                    "shape",
                    tensor.name()));
  }
  if (!tensor.buffer()->strides.empty()) {
    throw UsageError(
        fmt::format("tensor '{}' has strides: only a compact one can be passed in another shape", tensor.name()));
  }
  for (const Expr& extent : tensor.shape()) {
    if (ir::as_const_int(extent) == nullptr) {
      throw UsageError(
          fmt::format("extent {} of tensor '{}' is no constant: the tensor cannot be passed in another "
                      "shape",
                      ir::to_string(extent), tensor.name()));
    }
  }
  return tensor.buffer()->elements();
}

}  // namespace

Tensor passed_as(const Tensor& tensor, std::vector<std::int64_t> shape) {
  const std::int64_t elements = constant_elements(tensor);
  if (ir::count_elements(shape) != elements) {
    throw UsageError(fmt::format("tensor '{}' has {} elements: it cannot be passed in the shape [{}]", tensor.name(),
                                 elements, fmt::join(shape, ", ")));
  }
  Operation::Node node = *tensor.op().operator->();
  const Buffer& own = node.results.front();
  node.results.front() = Buffer(own->name, own->element, own->shape, own->scope, own->strides, own->alignment);
  node.passed_shape = std::move(shape);
  return Tensor(make_operation(std::move(node)));
}

Tensor passed_like(const Tensor& tensor, const Tensor& other) {
  std::vector<std::int64_t> shape = ir::constants_of(passed_shape(other));
  return ir::constants_of(passed_shape(tensor)) == shape ? tensor : passed_as(tensor, std::move(shape));
}

std::vector<Expr> passed_shape(const Tensor& tensor) {
  const std::optional<std::vector<std::int64_t>>& passed = tensor.op()->passed_shape;
  return passed ? std::vector<Expr>(passed->begin(), passed->end()) : tensor.shape();
}

}  // namespace nestwright
