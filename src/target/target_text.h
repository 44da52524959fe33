// The text form of targets, as far as all kinds of device share it: fields and their refusal. Private to target/.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "target/target.h"

namespace nestwright {

/// "cpu", "cuda", "opencl": what a target's text begins with.
const char* device_name(DeviceKind kind);

namespace target_text {

/// Throws UsageError: `text` is the whole target, `field` what is wrong with it, `legal` what to write instead.
[[noreturn]] void refuse(std::string_view text, std::string_view field, std::string_view legal);

/// The whole number `value`. Throws UsageError where it is none, or not one of least .. most.
std::int64_t parse_number(std::string_view text, std::string_view field, std::string_view value, std::int64_t least,
                          std::int64_t most);

/// Name and value, in the order of the text.
using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

/// `rest`, "a=1,b=2", in pairs; each name once. `known` lists the legal names, for the refusal.
Fields split_fields(std::string_view text, std::string_view rest, std::string_view known);

}  // namespace target_text
}  // namespace nestwright
