// How far the time of a record can be trusted.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/records.h"

namespace nestwright {

/// The least trustworthy first. Do not rename: `--json` prints the names, and `--require` takes them.
enum class Quality : std::uint8_t {
  kDefault,    ///< the untuned default: the only configuration that was tried, or one that was never measured
  kDisturbed,  ///< timed on a disturbed machine; any sound time replaces it
  kConfirmed,  ///< timed in the search, on a quiet machine
  kRaced,      ///< timed in the final race
};
const char* quality_name(Quality quality);  // "default", "disturbed", "confirmed", "raced"
std::vector<std::string> quality_names();
/// The quality of this name. Throws UsageError that lists the names.
Quality parse_quality(std::string_view name);

Quality quality_of(const BestRecord& record);

/// Whether a later measurement of a trial replaces the recorded one. A disturbed timing is worse than any other; a
/// failure, the first measurement of a checked kernel, or at least as many undisturbed samples, is better than a
/// timing.
bool improves(const Measurement& measurement, const Measurement& recorded);

}  // namespace nestwright
