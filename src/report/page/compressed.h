// Compresses text for a page.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::report {

/// Returns the bytes in gzip's format (RFC 1952), in base64 (RFC 4648) without line breaks.
std::string gzip_base64(std::string_view bytes);

}  // namespace nestwright::report
