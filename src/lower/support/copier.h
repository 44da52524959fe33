// Copies a statement: substitutes values for variables, folds constants, and renews every binding (loop variable, let,
// allocation), because a program defines each variable and buffer exactly once.
//
//   Copier({{i, 3}}, true):    local t[4]; t[i] = A[i]    ->    local t'[4]; t'[3] = A[3]
//
// Thread rule: an object belongs to one thread.
#pragma once

#include <map>

#include "ir/traversal/rewrite.h"

namespace nestwright {

class Copier : public ir::Mutator {
 public:
  /// If `fresh`, bindings are renewed; the first of several copies may keep them.
  Copier(ir::Substitution with, bool fresh) : with_(std::move(with)), fresh_(fresh) {}

  ir::Expr mutate(const ir::Expr& e) override;
  ir::Stmt mutate(const ir::Stmt& s) override;

 protected:
  /// The buffer that replaces `buffer` in this copy, or `buffer` itself.
  const ir::Buffer& renamed(const ir::Buffer& buffer) const;
  std::vector<ir::Expr> mutate_all(const std::vector<ir::Expr>& exprs);

  ir::Substitution with_;
  bool fresh_;

 private:
  std::map<ir::Buffer, ir::Buffer> buffers_;
};

}  // namespace nestwright
