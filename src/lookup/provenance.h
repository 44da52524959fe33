// Decides whether a record is current, or only a hint because what made its kernel has changed since.
// Thread rule: any thread.
#pragma once

#include <string>

#include "logs/record.h"

namespace nestwright {

/// Returns the provenance of records made by this build on this machine.
RecordProvenance current_provenance();

/// Returns why the record is only a hint, to be raced again before it counts, as clauses: its code generator, compiler,
/// system kernel, microcode or mode of huge pages differs from `now`, or its times follow an older rule. Empty if the
/// record is current. Records of another machine are compared only by what compiled them.
std::string hint_reason(const BestRecord& record, const RecordProvenance& now);

}  // namespace nestwright
