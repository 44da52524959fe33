#include "depth.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::python {
namespace {

using ir::Expr;
using Node = ir::ExprNode;

struct Size {
  int depth = 0;          ///< at most kMaxDepth + 1
  double operations = 0;  ///< a shared one counts once for each use

  /// Includes an operand.
  Size& operator+=(const Size& other) {
    depth = std::max(depth, other.depth);
    operations += other.operations;
    return *this;
  }
};

/// The sizes of nodes that are alive.
class KnownSizes {
 public:
  std::optional<Size> find(const Node* node) {
    const std::scoped_lock lock(mutex_);
    const auto found = sizes_.find(node);
    return found == sizes_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const Node* node, const Size& size) {
    const std::scoped_lock lock(mutex_);
    sizes_.emplace(node, size);
  }
  void erase(const Node* node) {
    const std::scoped_lock lock(mutex_);
    sizes_.erase(node);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const Node*, Size> sizes_;
};

KnownSizes& known_sizes() {
  static auto* const known = new KnownSizes;  // outlives the interpreter's objects
  return *known;
}

/// An expression that forgets its node's size when the last handle of it is dropped.
class ExprOfKnownSize {
 public:
  ExprOfKnownSize(Expr e, const Size& size) : expr_(std::move(e)) { known_sizes().add(&expr_.node(), size); }
  ExprOfKnownSize(const ExprOfKnownSize&) = delete;
  ExprOfKnownSize& operator=(const ExprOfKnownSize&) = delete;
  ~ExprOfKnownSize() { known_sizes().erase(&expr_.node()); }
  const Node& node() const { return expr_.node(); }

 private:
  Expr expr_;
};

/// Finds sizes, down to nodes of known sizes. Visits each shared node once.
class SizeMeasure {
 public:
  Size size_of(const Expr& e) {
    if (!e.defined()) return {};
    if (const std::optional<Size> known = known_sizes().find(&e.node())) return *known;
    if (const auto found = found_.find(&e.node()); found != found_.end()) return found->second;
    Size size;
    if (++above_ <= kMaxDepth) size = std::visit([&](const auto& node) { return operands_of(node); }, e.node().value);
    --above_;
    size.depth = std::min(size.depth, kMaxDepth) + 1;
    size.operations += 1;
    if (above_ > 0) found_.emplace(&e.node(), size);
    return size;
  }

 private:
  Size size_of(const std::vector<Expr>& list) {
    Size size;
    for (const Expr& e : list) size += size_of(e);
    return size;
  }
  template <class... Operands>
  Size sum(const Operands&... operands) {
    Size size;
    ((size += size_of(operands)), ...);
    return size;
  }
  Size operands_of(const ir::IntImm&) { return {}; }
  Size operands_of(const ir::FloatImm&) { return {}; }
  Size operands_of(const ir::VarRef&) { return {}; }
  Size operands_of(const ir::Binary& node) { return sum(node.a, node.b); }
  Size operands_of(const ir::Not& node) { return sum(node.a); }
  Size operands_of(const ir::Select& node) { return sum(node.condition, node.if_true, node.if_false); }
  Size operands_of(const ir::Cast& node) { return sum(node.value); }
  Size operands_of(const ir::Load& node) { return sum(node.indices, node.mask); }
  Size operands_of(const ir::Ramp& node) { return sum(node.base, node.stride); }
  Size operands_of(const ir::Broadcast& node) { return sum(node.value); }
  Size operands_of(const ir::Call& node) { return sum(node.args); }
  Size operands_of(const ir::CallExtern& node) { return sum(node.args); }
  Size operands_of(const ir::Reduce& node) {
    Size size = sum(node.values, node.init);
    for (const ir::ReduceAxis& axis : node.axes) size += sum(axis.min, axis.extent);
    return size;
  }

  std::unordered_map<const Node*, Size> found_;
  int above_ = 0;  ///< the operations that contain the one that is visited
};

}  // namespace

Expr bounded(const Expr& e) {
  if (!e.defined() || known_sizes().find(&e.node())) return e;
  const Size size = SizeMeasure().size_of(e);
  if (size.depth > kMaxDepth) {
    throw UsageError("more than " + std::to_string(kMaxDepth) +
                     " operations of an expression lie inside each other: make tensors of its parts");
  }
  const auto known = std::make_shared<ExprOfKnownSize>(e, size);
  return Expr(std::shared_ptr<const Node>(known, &known->node()));
}

Expr bounded_in_statement(const Expr& e) {
  if (SizeMeasure().size_of(e).operations <= kMaxWritten) return bounded(e);
  throw UsageError("an expression of a statement has, written out, more than " + std::to_string(kMaxWritten) +
                   " operations: store its parts");
}

std::string printed(const Expr& e) {
  if (SizeMeasure().size_of(e).operations <= kMaxWritten) return ir::to_string(e);
  return "<nestwright.Expr of more than " + std::to_string(kMaxWritten) + " operations>";
}

}  // namespace nestwright::python
