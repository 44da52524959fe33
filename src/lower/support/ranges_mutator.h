// A Mutator that tracks the ranges of the variables in scope at each statement. Internal to lower/.
// Thread rule: an object belongs to one thread.
#pragma once

#include <utility>

#include "ir/analysis/ranges.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {

class RangesMutator : public ir::Mutator {
 public:
  /// `known` has the ranges of the symbols, and of the host's variables.
  explicit RangesMutator(ir::Ranges known) : known_(std::move(known)) {}

 protected:
  /// `s` with its children mutated; in its bodies known() includes what the loop, let or branch `s` implies there.
  ir::Stmt mutate_inside(const ir::Stmt& s);
  const ir::Ranges& known() const { return known_; }

 private:
  ir::Stmt mutate_branches(const ir::IfThenElse& choice, const ir::Stmt& s);

  ir::Ranges known_;
};

}  // namespace nestwright
