// Reads the source files of this repository: their paths, #include lines and lengths.
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
  std::string path;    ///< relative to the root: "src/ir/core/expr.h"
  std::string folder;  ///< "ir", "logs"; empty for a file outside of all folders, such as src/nestwright.h
  std::vector<Include> includes;
  int lines = 0;
  bool is_header() const { return path.ends_with(".h"); }
  /// The path in an #include line: "ir/core/expr.h".
  std::string spelled() const { return path.starts_with("src/") ? path.substr(4) : path; }
};

/// Returns the #include lines outside of comments and raw strings (the exporter contains sources as raw strings).
std::vector<Include> read_includes(std::string_view text);
SourceFile read_source(const std::string& path, std::string_view text);

/// Returns all .h, .cpp and .c files below the named folders of `root`, sorted by path.
std::vector<SourceFile> read_tree(const std::string& root, const std::vector<std::string>& folders);

}  // namespace nestwright::house
