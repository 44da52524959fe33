#include "tests/house/types.h"

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace nestwright::house {
namespace {

std::string joined(const std::vector<std::string>& namespaces) {
  std::string text;
  for (const std::string& each : namespaces) text += each + "::";
  return text;
}

}  // namespace

std::vector<TypeDefinition> read_types(std::string_view text) {
  static const std::regex kOpens(R"(^(?:inline )?namespace(?: ([\w:]+))? \{$)");
  static const std::regex kDefines(
      R"(^(?:struct|class|union|enum|enum class)(?: alignas\([^)]*\))? (\w+)(?: final)?(?: :.*| \{.*|$))");
  std::vector<TypeDefinition> types;
  std::vector<std::string> namespaces;
  int unnamed = 0, number = 0;
  std::istringstream lines{std::string(text)};
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::regex_match(line, match, kOpens)) {
      namespaces.push_back(match[1]);
      unnamed += match[1].length() == 0;
    } else if (line.starts_with("}  // namespace") && !namespaces.empty()) {
      unnamed -= namespaces.back().empty();
      namespaces.pop_back();
    } else if (unnamed == 0 && !namespaces.empty() && std::regex_match(line, match, kDefines)) {
      types.push_back({joined(namespaces) + match[1].str(), number});
    }
  }
  return types;
}

std::vector<std::string> duplicate_types(const std::string& root, const std::vector<SourceFile>& files) {
  std::map<std::string, std::vector<std::string>> places;
  for (const SourceFile& file : files) {
    std::ifstream stream(root + "/" + file.path);
    std::stringstream text;
    text << stream.rdbuf();
    for (const TypeDefinition& type : read_types(text.str())) {
      places[type.name].push_back(file.path + ":" + std::to_string(type.line));
    }
  }
  std::vector<std::string> found;
  for (const auto& [name, where] : places) {
    if (where.size() < 2) continue;
    std::string sentence = name + " is defined in";
    for (const std::string& place : where) sentence += " " + place;
    found.push_back(sentence);
  }
  return found;
}

}  // namespace nestwright::house
