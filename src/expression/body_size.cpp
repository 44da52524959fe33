#include "expression/body_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/traversal/rewrite.h"

namespace nestwright {
namespace {

/// Visits each shared node once. Counts saturate just above the limit.
class Measure : public ir::Visitor {
 public:
  using Visitor::visit;
  void visit(const ir::Expr& e) override {
    if (const auto known = seen_.find(&e.node()); known != seen_.end()) {
      operations_ = std::min(operations_ + known->second.operations, kMaxBodyOperations + 1);
      height_ = std::max(height_, known->second.height);
      return;
    }
    if (++depth_ > kMaxBodyDepth) too_deep_ = true;
    if (!too_deep_) {
      const Size outside{operations_, height_};
      operations_ = 1;
      height_ = 0;
      visit_children(e);
      ++height_;
      seen_.emplace(&e.node(), Size{operations_, height_});
      if (depth_ + height_ > kMaxBodyDepth) too_deep_ = true;
      operations_ = std::min(outside.operations + operations_, kMaxBodyOperations + 1);
      height_ = std::max(outside.height, height_);
    }
    --depth_;
  }

  bool too_deep() const { return too_deep_; }
  std::int64_t operations() const { return operations_; }

 private:
  struct Size {
    std::int64_t operations;
    int height;
  };
  std::map<const void*, Size> seen_;
  std::int64_t operations_ = 0;
  int depth_ = 0, height_ = 0;
  bool too_deep_ = false;
};

Measure measure_of(const std::vector<ir::Expr>& bodies) {
  Measure measure;
  for (const ir::Expr& body : bodies) measure.visit(body);
  return measure;
}

}  // namespace

std::int64_t body_operations(const std::vector<ir::Expr>& bodies) { return measure_of(bodies).operations(); }

std::string size_limit_violation(const std::vector<ir::Expr>& bodies) {
  const Measure measure = measure_of(bodies);
  if (measure.too_deep()) return fmt::format("more than {} operations lie inside each other", kMaxBodyDepth);
  if (measure.operations() > kMaxBodyOperations) {
    return fmt::format("written out it has more than {} operations", kMaxBodyOperations);
  }
  return {};
}

}  // namespace nestwright
