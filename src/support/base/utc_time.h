// Formats points in time for records.
// Thread rule: any thread.
#pragma once

#include <string>

namespace nestwright {

/// Returns the current time in UTC, ISO 8601, to the second: "2026-11-30T14:05:09Z".
std::string utc_now_text();

}  // namespace nestwright
