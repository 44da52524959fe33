// What documents name: files, folders, commands, options and variables of the environment.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace nestwright::house {

struct DocumentNames {
  /// In backquotes, with a slash: from the root of the tree or from src/, with or without the ending of a source.
  std::set<std::string> paths;
  std::set<std::string> commands;   ///< tune, of `nestwright tune`
  std::set<std::string> options;    ///< --db
  std::set<std::string> variables;  ///< NESTWRIGHT_DB
};

/// Of a document in Markdown. Blocks of code count for commands, options and variables; paths with placeholders
/// (<name>,
/// *), absolute ones and those of an installed tree (include/) are passed over.
DocumentNames names_in(std::string_view document);

/// Whether the tree at `root` has the file or folder.
bool has_path(const std::string& root, const std::string& path);

}  // namespace nestwright::house
