// Checks of what options are given, with messages that say what to give. CLI11's own tell the range of a double.
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "cli/arguments.h"

namespace nestwright::cli {

/// A whole number from `least` to `most`.
TextCheck whole_number(std::uint64_t least, std::uint64_t most);
/// A finite number of seconds above 0.
TextCheck positive_seconds();

/// Any text but none.
TextCheck not_empty();

/// A share from 0 to below 1, as a percentage ("1%") or a number ("0.01"); turned into the number.
TextCheck share();

}  // namespace nestwright::cli
