// Checks #include lines against the table of layers in docs/design/layers.md. A layer is called a floor, and
// a folder may be divided into rooms. Thread rule: pure functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/source_tree.h"

namespace nestwright::house {

/// The names that each name leads to.
using Graph = std::map<std::string, std::set<std::string>>;

/// Returns all names that this one leads to, in one step or more: itself, too, if it is in a cycle.
std::set<std::string> reachable(const Graph& graph, const std::string& from);

/// Returns the names that lead to themselves.
std::vector<std::string> names_in_cycles(const Graph& graph);

/// Maps each folder and each room of the table ("folder/room" or "folder/room/room") to all others that it may include:
/// the transitive closure of the arrows, without itself.
using Floors = Graph;

/// Parses the block after the line that starts with "Floors". Its lines contain chains "a, b <- c <- d", separated by
/// two or more spaces, and notes in parentheses. Throws std::runtime_error if there is no such block or the arrows form
/// a cycle.
Floors parse_floors(const std::string& document);

/// The folder or room that each public header is a part of: "nestwright/expr.h" -> "ir/core".
using PublicHeaders = std::map<std::string, std::string>;

/// Parses the block after the line that starts with "Public headers". Its lines have the names of headers and, after
/// two or more spaces, their folder: "expr, type  ir/core". Throws std::runtime_error if there is no such block.
PublicHeaders parse_public_headers(const std::string& document);

/// Returns one sentence per violation: an include of a folder or room that is not below, an include that names no known
/// folder, a file outside of the rooms of a folder that has rooms, a public header without a folder, or one that
/// includes a header that is not public. The umbrella header, nestwright/nestwright.h, belongs to no folder.
std::vector<std::string> floor_violations(const Floors& floors, const std::vector<SourceFile>& files,
                                          const PublicHeaders& public_headers = {});

/// Returns one sentence per public header that includes one of `foreign` (prefixes of paths, such as "sqlite3.h"),
/// itself or by other headers. A header is public if another folder includes it, or if it is outside of all folders.
std::vector<std::string> leaked_headers(const std::vector<SourceFile>& files, const std::vector<std::string>& foreign);

}  // namespace nestwright::house
