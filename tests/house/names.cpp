#include "tests/house/names.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

namespace nestwright::house {
namespace {

constexpr std::size_t kCommonLetters = 4;  // words that share this many first letters are one word

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem(); }

bool is_one_word(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto common = static_cast<std::size_t>(in_a - a.begin());
  return common >= kCommonLetters && (in_a == a.end() || in_b == b.end() || common > kCommonLetters);
}

/// Tracks which exceptions were used.
class Exceptions {
 public:
  explicit Exceptions(const NameExceptions& exceptions) : exceptions_(exceptions) {}

  bool cover(const std::string& path) {
    for (const auto& [excepted, reason] : exceptions_) {
      if (path == excepted || (excepted.ends_with('/') && path.starts_with(excepted))) {
        used_.insert(excepted);
        return true;
      }
    }
    return false;
  }

  void add_unused(std::vector<std::string>& violations) const {
    for (const auto& [excepted, reason] : exceptions_) {
      if (!used_.contains(excepted)) violations.push_back(excepted + " needs no exception");
    }
  }

 private:
  const NameExceptions& exceptions_;
  std::set<std::string> used_;
};

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto is_upper = [&](std::size_t at) { return std::isupper(static_cast<unsigned char>(name[at])) != 0; };
    const bool ends_capitals = i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1])) != 0;
    const bool begins = name[i] == '_' || (i > 0 && is_upper(i) && (!is_upper(i - 1) || ends_capitals));
    if (begins && !words.back().empty()) words.emplace_back();
    if (name[i] != '_') words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<std::string> declared_names(std::string_view header) {
  static const std::regex kMacro(R"(#define\s+(\w+))"),
      kType(R"(\b(?:namespace|struct|enum class|class|enum|union|using|concept)\s+(?:\w+::)*(\w+))"),
      kFunction(R"(([A-Za-z_]\w*)\s*\()"), kConstant(R"(([A-Za-z_]\w*)(?:\[\])?\s*(?:=|\{|;))");
  std::vector<std::string> names;
  std::istringstream lines{std::string(header)};
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::min(line.find("//"), line.size()));
    std::smatch match;
    const auto declares = [&](const std::regex& pattern) {
      if (!std::regex_search(line, match, pattern)) return false;
      names.push_back(match[1]);
      return true;
    };
    if (declares(kMacro) || line.empty() || line[0] == '#' || declares(kType)) continue;
    if (line[0] == ' ' || line[0] == '}') continue;
    const bool is_initialised = line.find('=') < line.find('(');
    if (is_initialised || !declares(kFunction)) declares(kConstant);
  }
  return names;
}

bool shares_word(std::string_view file_stem, const std::vector<std::string>& names) {
  const std::vector<std::string> wanted = words_of(file_stem);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const std::vector<std::string> words = words_of(name);
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) { return is_one_word(w, word); });
    });
  });
}

std::vector<std::string> test_name_violations(const std::vector<std::string>& paths, const NameExceptions& exceptions) {
  static const std::regex kTest(R"(tests/(\w+)/(?:.*/)?(\w+)_test\.cpp)");
  std::map<std::string, std::set<std::string>> names_of;  // sources, subfolders and helpers, by folder
  for (const std::string& path : paths) {
    if (std::regex_match(path, kTest)) continue;
    std::filesystem::path inside = path;
    while (inside.begin() != inside.end() && (*inside.begin() == "src" || *inside.begin() == "tests")) {
      inside = inside.lexically_relative(*inside.begin());
    }
    std::set<std::string>& names = names_of[*inside.begin()];
    for (const std::filesystem::path& part : inside) names.insert(part.stem());
  }
  std::vector<std::string> violations;
  Exceptions excepted(exceptions);
  for (const std::string& path : paths) {
    std::smatch test;
    if (!std::regex_match(path, test, kTest)) continue;
    const std::string folder = test[1], name = test[2];
    const std::set<std::string>& names = names_of[folder];
    const bool agrees = std::any_of(names.begin(), names.end(), [&](const std::string& counterpart) {
      return name == counterpart || name.starts_with(counterpart + "_");
    });
    if (agrees || excepted.cover(path)) continue;
    violations.push_back(path + " tests no file or folder of " + folder + "/ that its name begins with");
  }
  excepted.add_unused(violations);
  return violations;
}

std::vector<std::string> header_name_violations(const std::map<std::string, std::string>& headers,
                                                const NameExceptions& exceptions) {
  std::vector<std::string> violations;
  Exceptions excepted(exceptions);
  for (const auto& [path, text] : headers) {
    if (shares_word(stem_of(path), declared_names(text)) || excepted.cover(path)) continue;
    violations.push_back(path + " declares nothing that shares a word with its name");
  }
  excepted.add_unused(violations);
  return violations;
}

}  // namespace nestwright::house
