// Converts index expressions of a program's host statement to C: integers and conditions on them.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>

#include "ir/core/expr.h"

namespace nestwright {

/// The C names of variables.
using CVariables = std::map<ir::Var, std::string>;

/// Returns a C expression for an integer, or for a bool a C truth value. Throws InternalError for an expression that no
/// host statement contains.
std::string c_index(const ir::Expr& e, const CVariables& names);

/// Returns the C functions that `text`, which contains results of c_index(), calls.
std::string c_division_for(const std::string& text);

}  // namespace nestwright
