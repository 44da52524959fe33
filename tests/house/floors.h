// Who may include whom: the table of docs/architecture.md, section 1, and what breaks it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/source_tree.h"

namespace nestwright::house {

/// For each folder, and for each room "folder/room" or "folder/room/room" that the table names, those that it may
/// include, arrows composed; itself is not in its set.
using Floors = std::map<std::string, std::set<std::string>>;

/// Reads the block after the line that starts with "Floors": lines of chains "a, b <- c <- d", two or more blanks
/// apart, notes in parentheses. Throws std::runtime_error where there is no such block, or where the arrows run in a
/// circle.
Floors parse_floors(std::string_view document);

/// One sentence a broken rule: an include of a folder or room that is not below, one that does not name a folder of
/// the house, or a file outside of the rooms of a folder that has some.
std::vector<std::string> floor_violations(const Floors& floors, const std::vector<SourceFile>& files);

/// One sentence a header through which another folder gets to see one of `foreign` (beginnings of paths, as
/// "sqlite3.h"). Public is a header that another folder includes or that stands outside of the folders, and all that
/// those include.
std::vector<std::string> leaked_headers(const std::vector<SourceFile>& files, const std::vector<std::string>& foreign);

}  // namespace nestwright::house
