#include "tests/house/functions.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

namespace nestwright::house {
namespace {

/// The line without its comment and with its strings empty.
std::string code_of(const std::string& line) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == '\\') ++i;
      if (line[i] == quote) quote = 0;
      continue;
    }
    if (line.compare(i, 2, "//") == 0) break;
    const bool is_separator = line[i] == '\'' && i > 0 && std::isalnum(static_cast<unsigned char>(line[i - 1]));
    if ((line[i] == '"' || line[i] == '\'') && !is_separator) quote = line[i];
    out += line[i];
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::size_t indentation_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Whether the brace that `code` has at `at` opens statements, not values.
bool opens_block(const std::string& code, std::size_t at) {
  static const std::regex kBefore(R"((\)|\belse|\bdo|\btry|:|\)( (const|mutable|noexcept))+|\[[&=]?\]|-> [\w:]+) $)");
  const std::string before = code.substr(0, at);
  return std::regex_search(before, kBefore);
}

/// The blocks that are open, line by line.
class Nesting {
 public:
  void read(const std::string& code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i] == '{') open_.push_back(opens_block(code, i));
      if (code[i] == '}' && !open_.empty()) open_.pop_back();
      most_ = std::max(most_, static_cast<int>(std::count(open_.begin(), open_.end(), true)));
    }
  }
  int most() const { return most_; }

 private:
  std::vector<bool> open_;
  int most_ = 0;
};

}  // namespace

std::vector<FunctionSize> read_functions(std::string_view text) {
  static const std::regex kNoFunction(R"(^ *(namespace|class|struct|union|enum|extern|inline namespace)\b)");
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(code_of(line));
  std::vector<FunctionSize> functions;
  std::size_t begin = 0;  // of the declaration
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const bool is_function =
        line.ends_with('{') && !std::regex_search(lines[begin], kNoFunction) && opens_block(line, line.size() - 1);
    if (is_function) {
      const std::string close = std::string(indentation_of(lines[begin]), ' ') + "}";
      Nesting nesting;
      std::size_t end = i + 1;
      for (; end < lines.size() && lines[end] != close; ++end) nesting.read(lines[end]);
      functions.push_back({static_cast<int>(i) + 1, static_cast<int>(end - i) - 1, nesting.most()});
      i = end;
    }
    const std::string& last = lines[std::min(i, lines.size() - 1)];
    const bool is_template = last.starts_with("template <") || last.starts_with("  requires ");
    if (last.empty() || is_template || last.ends_with(';') || last.ends_with('}') || last.ends_with('{') ||
        last.ends_with(':') || last.starts_with('#')) {
      begin = i + 1;
    }
  }
  return functions;
}

}  // namespace nestwright::house
