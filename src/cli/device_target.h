// Which device a target on the command line means, and whether this machine has it.
// Thread rule: one thread at a time. Looks for devices, which loads their drivers into this process.
#pragma once

#include <string_view>

#include "target/target.h"

namespace nestwright::cli {

/// `parsed`, from `text`, of a device: where the text names the kind alone, this machine's first device of that kind
/// where there is one.
Target resolve_device(const Target& parsed, std::string_view text);

/// Throws UsageError where this machine has no device of that kind, or one that cannot run code for `target`.
void refuse_missing_device(const Target& target);

}  // namespace nestwright::cli
