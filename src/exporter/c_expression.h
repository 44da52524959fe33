// Operators as C text: the independent reference of an exported self-test is made from the operator's expression, not
// from its schedule. A floating-point value is computed in double, together with what the kernel's may differ from it
// by (`struct number`), so that a tolerance follows from the expression, whatever it is made of. An integer is a long.
// A bool is an int: 2 yes, 0 no, and 1 where the numbers that were compared are too close to each other to tell.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "expression/tensor.h"

namespace nestwright {

/// How the C text calls what an expression reads.
struct CNames {
  std::map<ir::Buffer, std::string> arrays;     ///< arguments, by logical buffer
  std::map<ir::Buffer, std::string> functions;  ///< up to their indices, calls of those that give other elements
  std::map<ir::Var, std::string> variables;
  ir::Type type = kFloat64;  ///< whose rounding error kEpsilon is: the output's
};

/// Throws UsageError for what has no C counterpart here.
std::string c_expression(const Expr& e, const CNames& names);

/// A bool that follows from integers alone, as C's own.
std::string c_condition(const Expr& e, const CNames& names);

/// C functions for `output` and all that it is made from which is no argument. The last one is
/// `struct number element_of(PARAMETERS, long element)`: element `element` of `output`, row-major. `parameters` and
/// `arguments` declare and name the arrays of `names`, as "const float* A" and "A". Throws UsageError for what
/// c_expression() does, for several results or states and user-made reducers, and for extents that are not constant. A
/// scan keeps its steps in memory of `void* memory_for(size_t bytes)`.
std::string c_functions(const Operation& output, const CNames& names, const std::string& parameters,
                        const std::string& arguments);

/// The rounding error of one operation on `type`, relative to its result.
std::string c_epsilon(ir::Type type, const CNames& names);

/// Whether `name` is a word of `text`.
bool c_mentions(std::string_view text, std::string_view name);

/// What `text` needs of the arithmetic of integers and of `struct number`: its definition, where it has some, and the
/// functions that are called. They use a
/// constant `kEpsilon`, the rounding error of one operation, relative to its result.
std::string c_arithmetic_for(const std::string& text);

/// Terms that one element of `op` adds up, the elements of other stages that it is made from included, each computed
/// anew. Requires constant extents.
double c_terms(const Operation& op);

}  // namespace nestwright
