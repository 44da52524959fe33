// Which variables a value of a program depends on: in which loops it is invariant, and could be hoisted.
// Thread rule: a value; its functions may be called by any thread.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ir/core/program.h"

namespace nestwright {

class ValueDependencies {
 public:
  explicit ValueDependencies(const ir::Program& program);

  /// Those that occur in `e`, those of the lets among them, and, for each buffer that it reads, those of all that the
  /// program stores there and of where.
  std::set<ir::Var> of(const ir::Expr& e) const;

 private:
  void collect(const ir::Expr& e, std::set<ir::Var>& vars, std::set<ir::Buffer>& buffers) const;

  std::map<ir::Var, ir::Expr> lets_;
  std::map<ir::Buffer, std::vector<ir::Expr>> stores_;  ///< values and indices
};

}  // namespace nestwright
