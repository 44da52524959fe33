// Decides whether a record is current, or only a hint because its compiler, plugins or system have changed since.
// Thread rule: any thread.
#pragma once

#include <string>
#include <vector>

#include "nestwright/records.h"
#include "nestwright/template.h"

namespace nestwright {

/// Returns the version of this build's backend for `target`, a Target::str(); empty if there is none.
std::string backend_here(const std::string& target);

/// Returns the provenance of the records that this build makes of `op` on this machine. Without plugins if `op` is
/// null, an operator that this program does not have.
RecordProvenance current_provenance(const Operator* op);

/// Returns whether each plugin of `then` is among `now`, with the same version and content hash.
bool has_plugins(const std::vector<std::string>& now, const std::vector<std::string>& then);

/// Returns whether a plugin of `now` had another version or content hash in `then`.
bool is_any_rebuilt(const std::vector<std::string>& now, const std::vector<std::string>& then);

/// Returns whether the kernels of the session with this unit were made as those of `now` are: by the same code
/// generator and plugins.
bool is_made_alike(const RecordProvenance& now, const SessionUnit& unit);

/// Returns one clause for each plugin of `then` that is not among `now`, which says what is loaded in its place: "the
/// plugin rows was 1.0 0123456789abcdef, and is not loaded".
std::vector<std::string> plugin_differences(const std::vector<std::string>& now, const std::vector<std::string>& then);

/// Returns why the record is only a hint, to be raced again before it counts, as clauses: its code generator, a plugin
/// of the operator or its templates, its compiler, the name of its processor, system kernel, microcode or mode of huge
/// pages differs from `now`, or its times follow an older rule. Empty if the record is current. Records of another
/// machine are compared only by what compiled them.
std::string hint_reason(const BestRecord& record, const RecordProvenance& now);

}  // namespace nestwright
