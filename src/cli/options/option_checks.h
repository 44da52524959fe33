// Checks of option values, whose messages say what to give. The range checks of CLI11 print the range of a double.
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "cli/options/arguments.h"

namespace nestwright::cli {

/// The largest number of a row in a database, and of rows.
inline constexpr std::uint64_t kLargestNumber = 9'223'372'036'854'775'807;

/// Accepts an integer from `min` to `max`, in decimal, and rewrites it without leading zeros.
TextCheck integer(std::uint64_t min, std::uint64_t max);
/// Accepts a finite number of seconds above 0.
TextCheck positive_seconds();

/// Accepts any text that is not empty.
TextCheck not_empty();

/// Accepts a share in [0, 1), as a percentage ("1%") or a number ("0.01"), and rewrites it as a number.
TextCheck share();
/// Accepts a share in [0, 1], likewise.
TextCheck share_or_whole();

/// Accepts a UTC time such as 2026-11-30 or 2026-11-30T14:05, or an age such as 2w, 30d, 12h or 45min, and rewrites it as
/// the beginning of a time in ISO 8601, as databases store times.
TextCheck moment();

}  // namespace nestwright::cli
