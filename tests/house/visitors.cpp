#include "tests/house/visitors.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "tests/house/code_text.h"

namespace nestwright::house {
namespace {

int line_of(const std::string& code, std::size_t at) {
  return 1 + static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Returns the position of the bracket that closes the one at `open`, or the end of the code.
std::size_t closing(const std::string& code, std::size_t open, char opens, char closes) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == opens) ++depth;
    if (code[i] == closes && --depth == 0) return i;
  }
  return code.size();
}

/// Returns the parts between the commas that are in no bracket, without the space around them.
std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != '\n' && (c != ' ' || !parts.back().empty())) {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part.erase(part.find_last_not_of(' ') + 1);
  return parts;
}

bool has_word(const std::string& code, const std::string& word) {
  return std::regex_search(code, std::regex("\\b" + word + "\\b"));
}

/// A function or a lambda.
struct Definition {
  std::string result;  ///< of a template: what is written before its parameters
  std::string parameters;
  std::string body;  ///< from the closing parenthesis to the end of the block; empty for a declaration
};

/// Returns the function whose parameters begin at `open`; none for a deleted function, which accepts nothing.
std::optional<Definition> definition_at(const std::string& code, std::size_t open) {
  const std::size_t close = closing(code, open, '(', ')');
  const std::size_t begin = std::min(code.find_first_of("{;=", close), code.size());
  if (begin == code.size() || code.compare(begin, 8, "= delete") == 0) return std::nullopt;
  Definition found{"", code.substr(open + 1, close - open - 1), ""};
  if (code[begin] == '{') found.body = code.substr(close + 1, closing(code, begin, '{', '}') - close);
  return found;
}

/// Whether the body uses the parameter for more than to silence a warning.
bool uses(const std::string& body, const std::string& name) {
  static const std::regex kSilenced(R"(\(void\)\s*\w+|static_cast<void>\(\w+\)|std::ignore = \w+)");
  return has_word(std::regex_replace(body, kSilenced, ""), name);
}

/// Whether the function has parameters of these types (names, or "auto") and depends on none of them.
bool ignores_parameters_of(const std::set<std::string>& types, const Definition& of) {
  static const std::regex kParameter(
      R"((?:\[\[maybe_unused\]\] )?(?:const )?(\w+)(?: const)?(?:&&?|\*)?(?:\.\.\.)?(?: (\w+))?)");
  bool has_deduced = false;
  std::string rest = of.result + of.body;
  for (const std::string& parameter : split_list(of.parameters)) {
    std::smatch match;
    if (!std::regex_match(parameter, match, kParameter) || !types.contains(match[1])) {
      rest += " " + parameter;
      continue;
    }
    has_deduced = true;
    if (match[2].matched && (of.body.empty() || uses(of.body, match[2]))) return false;
  }
  const auto is_named = [&](const std::string& type) { return type != "auto" && has_word(rest, type); };
  return has_deduced && std::none_of(types.begin(), types.end(), is_named);
}

/// Whether the parameter list at `open` has a wildcard that is spelled `auto`.
bool has_auto_wildcard(const std::string& code, std::size_t open) {
  if (std::string_view(code).substr(0, open).ends_with("decltype")) return false;
  const std::string parameters = code.substr(open + 1, closing(code, open, '(', ')') - open - 1);
  if (!has_word(parameters, "auto")) return false;
  const std::optional<Definition> definition = definition_at(code, open);
  return definition.has_value() && ignores_parameters_of({"auto"}, *definition);
}

/// Returns the template parameters of a list that are types without a constraint.
std::set<std::string> type_parameters(const std::string& list) {
  static const std::regex kType(R"((?:class|typename)(?:\.\.\.)? (\w+))");
  std::set<std::string> types;
  for (const std::string& parameter : split_list(list)) {
    std::smatch match;
    if (std::regex_match(parameter, match, kType)) types.insert(match[1]);
  }
  return types;
}

/// Returns where the parameters begin of the function whose template parameters are in the brackets at `open`, if it
/// has a wildcard.
std::optional<std::size_t> template_wildcard(const std::string& code, std::size_t open) {
  const std::size_t close = closing(code, open, '<', '>');
  const std::set<std::string> types = type_parameters(code.substr(open + 1, close - open - 1));
  std::size_t begin = std::min(code.find_first_of("({;=", close), code.size());
  if (code.compare(begin, 2, "()") == 0) begin = std::min(code.find('(', begin + 1), code.size());  // operator()
  if (types.empty() || begin == code.size() || code[begin] != '(') return std::nullopt;
  std::optional<Definition> definition = definition_at(code, begin);
  if (!definition || definition->body.empty()) return std::nullopt;
  definition->result = code.substr(close, begin - close);
  return ignores_parameters_of(types, *definition) ? std::optional(begin) : std::nullopt;
}

}  // namespace

std::vector<int> visitor_wildcards(std::string_view text) {
  static const std::regex kEllipsis(R"([\w\]]\s*\(\.\.\.\))"), kTemplate(R"((?:\btemplate|\])\s*<)");
  const std::string code = code_of(text);
  std::set<std::size_t> found;
  for (std::size_t open = code.find('('); open != code.npos; open = code.find('(', open + 1)) {
    if (has_auto_wildcard(code, open)) found.insert(open);
  }
  for (std::sregex_iterator match(code.begin(), code.end(), kTemplate), end; match != end; ++match) {
    const auto open = static_cast<std::size_t>(match->position() + match->length() - 1);
    if (const auto at = template_wildcard(code, open)) found.insert(*at);
  }
  for (std::sregex_iterator match(code.begin(), code.end(), kEllipsis), end; match != end; ++match) {
    const std::string before = match->prefix().str() + match->str(0).substr(0, 1);
    const std::string line = before.substr(before.rfind('\n') + 1);
    if (!before.ends_with("catch") && !line.starts_with('#')) found.insert(static_cast<std::size_t>(match->position()));
  }
  std::vector<int> lines;
  for (const std::size_t at : found) lines.push_back(line_of(code, at));
  return lines;
}

}  // namespace nestwright::house
