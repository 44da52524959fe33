#include "expression/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "nestwright/error.h"

namespace nestwright {

Operation make_operation(Operation::Node node) {
  for (const Operation& input : node.inputs) node.depth = std::max(node.depth, input->depth + 1);
  if (node.depth > kMaxChain) {
    throw UsageError(
        fmt::format("tensor '{}' ends a chain of more than {} tensors: compute a part of them by a function "
                    "of its own",
                    node.name, kMaxChain));
  }
  const auto shared = std::make_shared<const Operation::Node>(std::move(node));
  for (const Buffer& result : shared->results) result->operation = shared;
  return Operation(shared);
}

Operation operation_of(const Buffer& buffer) {
  return Operation(std::static_pointer_cast<const Operation::Node>(buffer->operation.lock()));
}

std::string result_name(const std::string& operation, std::size_t number, std::size_t count) {
  return count == 1 ? operation : fmt::format("{}.v{}", operation, number);
}

bool is_addressable(const std::vector<Expr>& shape) {
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;
  std::int64_t elements = 1;
  return std::all_of(shape.begin(), shape.end(), [&](const Expr& extent) {
    const std::int64_t* constant = ir::as_const_int(extent);
    if (constant == nullptr) return true;
    return *constant >= 1 && !__builtin_mul_overflow(elements, *constant, &elements) && elements <= kMaxElements;
  });
}

void check_name(const std::string& name) {
  const bool spaces = std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isspace(c) != 0; });
  if (name.empty() || spaces) {
    throw UsageError(fmt::format("'{}' cannot name a tensor or axis: use a word without spaces", name));
  }
}

}  // namespace nestwright
