// Determines the variables that a value of a program depends on, and thereby the loops in which it is invariant.
// Thread rule: a value; its functions may be called by any thread.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "nestwright/program.h"

namespace nestwright {

class ValueDependencies {
 public:
  explicit ValueDependencies(const ir::Program& program);

  /// The variables that `e` depends on: those that occur in it, directly or through lets, and those that occur in any
  /// value or index that the program stores to a buffer read by `e`.
  std::set<ir::Var> of(const ir::Expr& e) const;

 private:
  void collect(const ir::Expr& e, std::set<ir::Var>& vars, std::set<ir::Buffer>& buffers) const;

  std::map<ir::Var, ir::Expr> lets_;
  std::map<ir::Buffer, std::vector<ir::Expr>> stores_;  ///< the values and indices stored to each buffer
};

}  // namespace nestwright
