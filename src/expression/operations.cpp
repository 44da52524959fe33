#include "expression/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <unordered_map>

#include "support/base/error.h"

namespace nestwright {
namespace {

/// Maps buffers to the operations that made them. Bodies read tensors as loads of buffers, so this is how the inputs of
/// an operation are found. Entries live as long as their operation.
class ResultRegistry {
 public:
  void add(const std::shared_ptr<const Operation::Node>& node) {
    std::lock_guard lock(mutex_);
    for (const Buffer& result : node->results) made_by_[key(result)] = node;
  }
  void remove(const Operation::Node& node) {
    std::lock_guard lock(mutex_);
    for (const Buffer& result : node.results) made_by_.erase(key(result));
  }
  Operation find(const Buffer& buffer) const {
    std::lock_guard lock(mutex_);
    const auto it = made_by_.find(key(buffer));
    return it == made_by_.end() ? Operation() : Operation(it->second.lock());
  }

 private:
  static const void* key(const Buffer& buffer) { return buffer.operator->(); }

  mutable std::mutex mutex_;
  std::unordered_map<const void*, std::weak_ptr<const Operation::Node>> made_by_;
};

ResultRegistry& registry() {
  // Never destroyed: tensors of static lifetime may outlive it otherwise.
  static auto* const instance = new ResultRegistry;
  return *instance;
}

}  // namespace

Operation make_operation(Operation::Node node) {
  for (const Operation& input : node.inputs) node.depth = std::max(node.depth, input->depth + 1);
  if (node.depth > kMaxChain) {
    throw UsageError(
        fmt::format("tensor '{}' ends a chain of more than {} tensors: compute a part of them by a function "
                    "of its own",
                    node.name, kMaxChain));
  }
  const std::shared_ptr<const Operation::Node> shared(new Operation::Node(std::move(node)), [](const auto* n) {
    registry().remove(*n);
    delete n;
  });
  registry().add(shared);
  return Operation(shared);
}

Operation operation_of(const Buffer& buffer) { return registry().find(buffer); }

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
