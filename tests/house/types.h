// Finds the type definitions in source files, line by line.
// Thread rule: pure functions, except for the files.
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

/// Returns the types with external linkage: those of named namespaces, not nested in types or functions. The text must
/// be formatted by .clang-format.
std::vector<TypeDefinition> read_types(std::string_view text);

/// Returns one sentence for each type that is defined more than once in `files`, whose paths are relative to `root`.
std::vector<std::string> duplicate_types(const std::string& root, const std::vector<SourceFile>& files);

}  // namespace nestwright::house
