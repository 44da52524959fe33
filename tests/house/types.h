// The types that the source defines, read off its lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/house/source_tree.h"

namespace nestwright::house {

struct TypeDefinition {
  std::string name;  ///< with its namespaces: "nestwright::ir::Expr"
  int line = 0;
};

/// Types of namespaces that have a name, as the linker tells them apart: not those within other types, functions or
/// unnamed namespaces. The text is laid out as .clang-format says.
std::vector<TypeDefinition> read_types(std::string_view text);

/// One sentence for each type that more than one of the files of `root` defines.
std::vector<std::string> types_of_one_name(const std::string& root, const std::vector<SourceFile>& files);

}  // namespace nestwright::house
