#include "ir/construction/conjunction.h"

namespace nestwright::ir {

const Expr& without_likely(const Expr& e) {
  const auto* call = e.as<Call>();
  return call != nullptr && call->intrinsic == Intrinsic::kLikely ? call->args[0] : e;
}

void conjuncts(const Expr& condition, std::vector<Expr>& parts) {
  const Expr& plain = without_likely(condition);
  const auto* n = plain.as<Binary>();
  if (n == nullptr || n->op != BinaryOp::kAnd) {
    parts.push_back(condition);
    return;
  }
  const bool is_likely = !plain.same_as(condition);
  conjuncts(is_likely ? likely(n->a) : n->a, parts);
  conjuncts(is_likely ? likely(n->b) : n->b, parts);
}

Expr conjunction(const std::vector<Expr>& parts) {
  Expr all;
  for (const Expr& part : parts) {
    if (part.defined()) all = all.defined() ? make_binary(BinaryOp::kAnd, all, part) : part;
  }
  return all;
}

}  // namespace nestwright::ir
