// Finds floating-point values that are never NaN, such as what a max reduction has so far:
//
//   m[i] = -inf; for k: m[i] = max(m[i], A[i, k])      m is never NaN, A may be: max gives the other operand
//
// Thread rule: immutable once made; any thread may call it.
#pragma once

#include <map>
#include <set>

#include "nestwright/program.h"

namespace nestwright::ir {

class NeverNaN {
 public:
  /// Requires the program of the expressions that are asked about. Inputs may be NaN.
  explicit NeverNaN(const Program& program);
  /// Whether the value, each of its lanes, is proved to be no NaN where it is defined. Numbers of other types never
  /// are.
  bool is_number(const Expr& e) const;

 private:
  /// Removes the buffers that a statement may store NaN to. Returns whether there were any.
  bool remove_where_stored(const Stmt& s);

  std::set<Buffer> buffers_;      ///< whose elements are never NaN
  std::map<Var, bool> bindings_;  ///< of let statements: whether the value is never NaN
};

}  // namespace nestwright::ir
