// Checks the folders of the tree: how many files lie directly in one, and whether folders include each other in cycles.
// Thread rule: pure functions, except for the files.
#pragma once

#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace nestwright::house {

/// Returns the folders below `root`/`folder`, it included, that have more than `most` files directly in them, each as
/// "path: count".
std::vector<std::string> large_folders(const std::string& root, const std::string& folder, int most);

/// Returns the cycles of #include lines among the folders of the files, each as "a -> b -> a", at most one for each
/// folder. Empty if folders include each other in no cycle.
std::vector<std::string> folder_cycles(const std::vector<SourceFile>& files);

}  // namespace nestwright::house
