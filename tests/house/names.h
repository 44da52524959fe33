// Checks that the names of files agree with what they declare, and the names of tests with what they test.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::house {

/// Paths that a rule does not apply to, each with the reason. A path that ends with '/' stands for the whole folder.
using NameExceptions = std::map<std::string, std::string>;

/// The words of a name, in lower case: FinalRace and final_race are both {"final", "race"}.
std::vector<std::string> words_of(std::string_view name);

/// The names that a header declares: types, macros, and functions and constants of its namespaces. The text is laid out
/// as .clang-format says, which indents everything else.
std::vector<std::string> declared_names(std::string_view header);

/// Whether a name shares a word with the name of the file, endings apart: "tiles" and "tile" are one word.
bool shares_word(std::string_view file_stem, const std::vector<std::string>& names);

/// One sentence for each tests/FOLDER/.../NAME_test.cpp among `paths` without a counterpart: a source or a subfolder of
/// FOLDER, or a helper of its tests, called NAME or as the first words of NAME. Also for each exception without use.
std::vector<std::string> test_name_violations(const std::vector<std::string>& paths, const NameExceptions& exceptions);

/// One sentence for each header, given as path and text, that declares nothing with a word of the file's name. Also for
/// each exception without use.
std::vector<std::string> header_name_violations(const std::map<std::string, std::string>& headers,
                                                const NameExceptions& exceptions);

}  // namespace nestwright::house
