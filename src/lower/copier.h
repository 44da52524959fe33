// Copies of statements. What several copies of one body need: variables replaced by values, constants folded, and every
// binding (loop variable, let, allocation) a new one, for each is defined exactly once in a program.
// Thread rule: a Copier is one thread's.
#pragma once

#include <map>

#include "ir/core/rewrite.h"

namespace nestwright {

class Copier : public ir::Mutator {
 public:
  /// `fresh`: whether bindings are renewed; the first of several copies may keep them.
  Copier(ir::Substitution with, bool fresh) : with_(std::move(with)), fresh_(fresh) {}

  ir::Expr mutate(const ir::Expr& e) override;
  ir::Stmt mutate(const ir::Stmt& s) override;

 protected:
  /// The buffer that stands in for `buffer` in this copy.
  const ir::Buffer& renamed(const ir::Buffer& buffer) const;
  std::vector<ir::Expr> mutate_all(const std::vector<ir::Expr>& exprs);

  ir::Substitution with_;
  bool fresh_;

 private:
  std::map<ir::Buffer, ir::Buffer> buffers_;
};

}  // namespace nestwright
