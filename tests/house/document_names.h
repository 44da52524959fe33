// Extracts the names in a document: files, folders, commands, options and environment variables.
// Thread rule: pure functions, except for the files.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace nestwright::house {

struct DocumentNames {
  /// In backquotes, with a slash; relative to the root of the tree or to src/, with or without the extension.
  std::set<std::string> paths;
  std::set<std::string> commands;   ///< "tune" for `nestwright tune`
  std::set<std::string> options;    ///< "--db"
  std::set<std::string> variables;  ///< "NESTWRIGHT_DB"
};

/// Extracts the names from a document in Markdown. Code blocks are searched for commands, options and variables only.
/// Paths with placeholders (<name>, *), absolute paths and those of an installed tree (include/) are ignored.
DocumentNames names_in(std::string_view document);

/// Returns true if the tree at `root` contains the file or folder.
bool has_path(const std::string& root, const std::string& path);

}  // namespace nestwright::house
