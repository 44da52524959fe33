// Converts the integer expressions and conditions of a program's host statement to C.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>

#include "nestwright/expr_nodes.h"

namespace nestwright {

/// The C names of variables.
using CVariables = std::map<ir::Var, std::string>;

/// Returns a C expression for an integer or a condition. Throws InternalError for an expression that no host statement
/// contains.
std::string c_index(const ir::Expr& e, const CVariables& names);

/// Returns the definitions of the C functions that `text` calls, which contains results of c_index().
std::string c_division_for(const std::string& text);

}  // namespace nestwright
