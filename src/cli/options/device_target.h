// Resolves the device that a target on the command line names, and checks that this machine has it.
// Thread rule: one thread at a time. Both functions enumerate devices, which loads their drivers into this process.
#pragma once

#include <string_view>

#include "nestwright/target.h"

namespace nestwright::cli {

/// Resolves a target that names only a kind of device, e.g. "cuda": returns the target of this machine's first device
/// of that kind. Returns `parsed`, the parsed `text`, if `text` has further fields or there is no such device.
Target resolve_device(const Target& parsed, std::string_view text);

/// Throws UsageError if this machine has no device of that kind or its first one cannot run code for `target`.
void require_device(const Target& target);

}  // namespace nestwright::cli
