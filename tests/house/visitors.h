// Finds what would silently accept a new kind of node: wildcards of visitors.
// Thread rule: pure functions.
#pragma once

#include <string_view>
#include <vector>

namespace nestwright::house {

/// Returns the lines, in order, of the parameter lists with a wildcard. That is one of:
/// - parameters of deduced type that the body does not use, where it uses no other such parameter either:
///   `[](const auto&) {}`, `[](auto&& n) { return 0; }`, `template <class T> void visit(const T&) {}`;
/// - an ellipsis of C: `[](...) {}`.
/// A constrained parameter (`OneOf<Store, Barrier> auto&`) is no wildcard, nor is one that the body dispatches on.
std::vector<int> visitor_wildcards(std::string_view text);

}  // namespace nestwright::house
