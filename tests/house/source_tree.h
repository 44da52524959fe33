// The source files of this repository, as far as the rules of the house read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::house {

struct Include {
  std::string path;  ///< as written
  bool quoted = false;
  int line = 0;
};

struct SourceFile {
  std::string path;    ///< from the root: "src/ir/core/expr.h"
  std::string folder;  ///< of the house: "ir", "logs"; empty for what stands outside of it, as src/nestwright.h does
  std::vector<Include> includes;
  int lines = 0;
  bool is_header() const { return path.ends_with(".h"); }
  /// As #include spells it: "ir/core/expr.h".
  std::string spelled() const { return path.starts_with("src/") ? path.substr(4) : path; }
};

/// #include lines outside of comments and raw strings: the exporter holds sources that it writes out.
std::vector<Include> read_includes(std::string_view text);
SourceFile read_source(const std::string& path, std::string_view text);

/// Every .h, .cpp and .c below the named folders of `root`, by path.
std::vector<SourceFile> read_tree(const std::string& root, const std::vector<std::string>& folders);

}  // namespace nestwright::house
