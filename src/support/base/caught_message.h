// The message of the exception that a handler catches with catch (...), whatever its type.
// Thread rule: any thread, inside a handler.
#pragma once

#include <string>

namespace nestwright {

/// Of a std::exception, what(); of anything else, which only a plugin throws, a sentence that says so.
std::string caught_message();

}  // namespace nestwright
