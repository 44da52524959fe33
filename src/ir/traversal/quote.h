// Quotes statements in messages. Thread rule: a pure function.
#pragma once

#include <string>

#include "nestwright/program.h"

namespace nestwright::ir {

/// The first line of the statement in quotes, for messages: "`C[i, j] = 0.0`".
std::string quote(const Stmt& statement);

}  // namespace nestwright::ir
