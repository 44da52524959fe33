// Says in words why a value of a knob has no trials.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "findings/value_table.h"

namespace nestwright {

/// One clause, as "no valid point has it: the tile does not fit into the registers"; empty if it has trials. Each set
/// of constraints is joined by "and", alternatives by "or".
std::string value_reason(const ValueFinding& value);

/// The constraints of ValueFinding::excluded_by: "register tile larger than the register file".
std::string constraints_text(const std::vector<std::vector<std::string>>& sets);

}  // namespace nestwright
