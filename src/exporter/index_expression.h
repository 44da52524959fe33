// Index expressions of a program's host statement as C: whole numbers and conditions on them.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>

#include "ir/core/expr.h"

namespace nestwright {

/// How C names variables.
using CVariables = std::map<ir::Var, std::string>;

/// An expression of C for an integer, or for a bool as C's own. Throws InternalError for what no host statement has.
std::string c_index(const ir::Expr& e, const CVariables& names);

/// The functions that `text`, which c_index() is part of, calls.
std::string c_division_for(const std::string& text);

}  // namespace nestwright
