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

/// Returns the words of a name in lower case: FinalRace and final_race are both {"final", "race"}.
std::vector<std::string> words_of(std::string_view name);

/// Returns the names that a header declares: types, macros, and functions and constants of its namespaces. The text
/// must be formatted by .clang-format, which indents everything else.
std::vector<std::string> declared_names(std::string_view header);

/// Returns true if a name shares a word with the name of the file. Words may differ in their endings: "tiles", "tile".
bool shares_word(std::string_view file_stem, const std::vector<std::string>& names);

/// Returns the words of the file's name that occur neither in the header, as a word of its declarations or comments,
/// nor in the names of its folders.
std::vector<std::string> unexplained_words(const std::string& path, std::string_view header);

/// Returns one sentence for each tests/FOLDER/SUB/NAME_test.cpp among `paths` without a counterpart, which is one of:
/// - a source of FOLDER, a helper of its tests or a folder called NAME, if it is below SUB or the only one in FOLDER;
/// - a source or a helper in SUB itself, or the only source so called below SUB, whose name is the first words of NAME.
/// Also for each unused exception.
std::vector<std::string> test_name_violations(const std::vector<std::string>& paths, const NameExceptions& exceptions);

/// Returns one sentence for each header, given as path and text, that declares nothing with a word of the file's name,
/// or in which one of those words does not occur at all. Also for each unused exception.
std::vector<std::string> header_name_violations(const std::map<std::string, std::string>& headers,
                                                const NameExceptions& exceptions);

}  // namespace nestwright::house
