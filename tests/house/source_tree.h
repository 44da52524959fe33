// Reads the source files of this repository: their paths, texts, #include lines and lengths.
// Thread rule: pure functions, except for the files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::house {

struct Include {
  std::string path;  ///< as in the source
  bool quoted = false;
  int line = 0;
};

struct SourceFile {
  std::string path;    ///< relative to the root: "src/ir/core/make_node.h"
  std::string folder;  ///< "ir", "logs"; empty for a file outside of all folders, such as src/all.h
  std::string text;
  std::vector<Include> includes;
  int lines = 0;
  bool is_header() const { return path.ends_with(".h"); }
  /// The path in an #include line: "ir/core/make_node.h", "nestwright/expr.h".
  std::string spelled() const;
};

SourceFile read_source(const std::string& path, std::string_view text);

/// Returns the text of a file, whose path is relative to the root of the repository.
std::string text_of(const std::string& path);

/// Returns all .h, .cpp and .c files below the named folders of the repository, sorted by path.
std::vector<SourceFile> read_tree(const std::vector<std::string>& folders);

/// Returns the files of the product, and all files of the repository.
std::vector<SourceFile> product();
std::vector<SourceFile> whole_tree();

}  // namespace nestwright::house
