// Makes statements of the reductions that are parts of a right side:
//
//   C[i] = 0.5 * sum(j, A[i, j]) + b[i]     is     C_sum[i] = sum(j, A[i, j]); C[i] = 0.5 * C_sum[i] + b[i]
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "text/syntax/syntax.h"

namespace nestwright::text {

class ReductionParts {
 public:
  /// `statement`: the tensor of the statement, after which those of its parts are named.
  explicit ReductionParts(std::string statement = {}) : statement_(std::move(statement)) {}

  std::size_t count() const { return parts_.size(); }
  /// Adds the statement of a reduction of `body`, and returns the read of its tensor. Equal reductions share one.
  /// `scope`: the indices around it, of which the tensor has those that `body` mentions. `first_inside`: count() before
  /// `body` was parsed. `taken`: names that tensors must not get, to which that of the tensor is added.
  Access add(Reduction reduction, Term body, std::span<const Name> scope, std::size_t first_inside,
             std::set<std::string>& taken);
  /// Appends the parts and the statement itself, which is a reduction if that is its whole right side.
  void move_to(std::vector<Definition>& definitions, Definition statement);

 private:
  std::string statement_;
  std::vector<Definition> parts_;  ///< Definition::part_of counts from the first of them
};

}  // namespace nestwright::text
