// Decides whether a record is current, or only a hint because what made its kernel has changed since.
// Thread rule: any thread.
#pragma once

#include <string>
#include <vector>

#include "logs/record.h"
#include "templates/framework/template.h"

namespace nestwright {

/// The version of the backend that would compile for the target of this text here; empty if there is none.
std::string backend_here(const std::string& target);

/// Returns the provenance of records of the operator that this build makes on this machine. Null: of an operator that
/// this program does not have, of whose plugins nothing is known.
RecordProvenance current_provenance(const Operator* op);

/// Returns whether the plugins are those of now: each of `then` is among `now`, with the same version and content.
bool has_plugins(const std::vector<std::string>& now, const std::vector<std::string>& then);

/// Returns why the record is only a hint, to be raced again before it counts, as clauses: its code generator, a plugin
/// of the operator or its templates, its compiler, system kernel, microcode or mode of huge pages differs from `now`,
/// or its times follow an older rule. Empty if the record is current. Records of another machine are compared only by
/// what compiled them.
std::string hint_reason(const BestRecord& record, const RecordProvenance& now);

}  // namespace nestwright
