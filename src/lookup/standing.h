// Whether a record still stands: what made its kernel may have changed since.
// Thread rule: any thread.
#pragma once

#include <string>

#include "logs/record.h"

namespace nestwright {

/// Of this build and this machine.
MadeBy made_here();

/// Why the record is only a hint, to be raced again before it counts, in clauses: another code generator, compiler,
/// kernel of the system, microcode or mode of huge pages than in `now`, or times by an older rule. Empty: it stands.
/// Records of another machine are compared by what compiled them alone.
std::string why_hint(const BestRecord& record, const MadeBy& now);

}  // namespace nestwright
