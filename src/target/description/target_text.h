// The part of the text form of targets that all kinds of device share: fields and their error messages. Private to
// target/.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "nestwright/target.h"

namespace nestwright {

/// Returns "cpu", "cuda" or "opencl", with which the text of a target begins.
const char* device_name(DeviceKind kind);

namespace target_text {

/// Throws UsageError; `text` is the whole target, `field` says what is wrong and `legal` what to write instead.
[[noreturn]] void refuse(std::string_view text, std::string_view field, std::string_view legal);

/// Parses the integer `value`. Throws UsageError unless it is one of min .. max.
std::int64_t parse_number(std::string_view text, std::string_view field, std::string_view value, std::int64_t min,
                          std::int64_t max);

/// Pairs of name and value, in the order of the text.
using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

/// Splits `rest`, e.g. "a=1,b=2", into pairs. Throws UsageError for malformed or repeated fields; `known` lists the
/// legal names, for the message.
Fields split_fields(std::string_view text, std::string_view rest, std::string_view known);

}  // namespace target_text
}  // namespace nestwright
