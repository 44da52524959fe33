// What the user may have meant: the known name closest to a misspelt one.
// Thread rule: a pure function.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nestwright {

/// The name within two edits (one for names of up to three letters) of `word`, first of the closest; empty where none
/// is.
std::string nearest_name(std::string_view word, std::span<const std::string> known);

/// "a, b, c", cut after `limit` names with how many there are in all.
std::string join_names(std::span<const std::string> names, std::size_t limit = 24);

}  // namespace nestwright
