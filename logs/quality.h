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

/// How much a measurement of a trial says, the least first.
enum class Soundness : std::uint8_t {
  kDisturbed,   ///< of whatever outcome
  kUnverified,  ///< timed, but not checked: by a part of its kernel
  kEndedEarly,  ///< checked, and timed roughly
  kWhole,       ///< checked and timed to the end
  kFailed,      ///< a kernel that failed once may not be best, whatever its times
};
Soundness soundness_of(const Measurement& measurement);

/// Whether a later measurement of a trial replaces the recorded one: if that failed, was disturbed or is less sound, or
/// if it is as sound and has no more samples.
bool improves(const Measurement& measurement, const Measurement& recorded);

}  // namespace nestwright
