// A Mutator that knows, at each statement, the ranges of the variables around it. Internal to lower/.
// Thread rule: one object belongs to one walk.
#pragma once

#include <utility>

#include "ir/analysis/ranges.h"
#include "ir/core/rewrite.h"

namespace nestwright {

class RangesMutator : public ir::Mutator {
 public:
  /// `known`: of the symbols, and of the variables of the host.
  explicit RangesMutator(ir::Ranges known) : known_(std::move(known)) {}

 protected:
  /// The same statement with its children mutated: what the loop, let or branch `s` says holds in its bodies.
  ir::Stmt mutate_inside(const ir::Stmt& s);
  const ir::Ranges& known() const { return known_; }

 private:
  ir::Stmt mutate_branches(const ir::IfThenElse& choice, const ir::Stmt& s);

  ir::Ranges known_;
};

}  // namespace nestwright
