// C++ identifiers for the tensors, axes and loops of a printed schedule. Internal to schedule/.
// Thread rule: one thread at a time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "nestwright/tensor.h"

namespace nestwright {

/// The identifiers of a printed text. A copy is a scope: the names that it makes are free again outside of it.
class CppNames {
 public:
  CppNames();
  /// A new identifier like `wanted`: "C.tile" becomes C_tile, numbered where that is taken.
  std::string make(const std::string& wanted);

  std::map<ir::Buffer, std::string> tensors;            ///< results of operations: C++ expressions for them
  std::map<Var, std::string> indices;                   ///< of type Expr: parameters of the body
  std::map<Var, std::string> axes;                      ///< of type IterVar: reduce axes, and loops
  std::map<const ir::Combiner*, std::string> reducers;  ///< user-defined ones

 private:
  std::set<std::string> taken_;
};

/// kFloat32, kUInt8, ...
std::string cpp_type(ir::Type type);

/// A C++ expression whose value is `e`, of type Expr or converted to it. Throws UsageError as cpp_text does.
std::string cpp_expression(const Expr& e, const CppNames& names);

/// The expressions, separated by commas.
std::string cpp_expressions(const std::vector<Expr>& list, const CppNames& names);

/// A C++ expression of type std::vector<Expr>: all members of the reduction of a user-defined reducer.
std::string cpp_members(const ir::Reduce& reduce, const CppNames& names);

/// The statements that define the tensors that `outputs` and `args` depend on, producers first. Adds them to `names`.
std::string cpp_tensors(const std::vector<Tensor>& outputs, const std::vector<Tensor>& args, CppNames& names);

}  // namespace nestwright
