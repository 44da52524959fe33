#include "tests/house/names.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

namespace nestwright::house {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCommonLetters = 4;  // words that share this many first letters are one word

std::string stem_of(const std::string& path) { return fs::path(path).stem(); }

bool is_one_word(const std::string& a, const std::string& b) {
  if (a == b || a + "s" == b || b + "s" == a) return true;
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto common = static_cast<std::size_t>(in_a - a.begin());
  return common >= kCommonLetters && (in_a == a.end() || in_b == b.end() || common > kCommonLetters);
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return is_one_word(w, word); });
}

bool opens_namespace(const std::string& line) {
  return line.starts_with("namespace ") || line.starts_with("inline namespace ");
}

/// Returns the path within "src/" or "tests/".
fs::path inside(const std::string& path) {
  const fs::path first = *fs::path(path).begin();
  return first == "src" || first == "tests" ? fs::path(path).lexically_relative(first) : fs::path(path);
}

bool is_at_or_below(const fs::path& folder, const fs::path& path) {
  return folder == path || *folder.lexically_relative(path).begin() != "..";
}

/// What the tests of one top folder may be named after: its sources, its subfolders and the helpers of its tests.
class Counterparts {
 public:
  /// Adds a source, or a helper in tests/, with its folders.
  void add(const fs::path& file, bool is_helper) {
    (is_helper ? helpers_ : sources_)[file.stem()].insert(file.parent_path());
    for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
      folders_[folder.filename()].insert(folder.parent_path());
    }
  }

  /// Whether a test in `folder` may have this name: that of a file or a folder, or one that begins with a file's.
  bool contain(const fs::path& folder, const std::string& name) const {
    const auto is_named = [&](const Places& all) {
      const auto found = all.find(name);
      return found != all.end() && (found->second.size() == 1 || count_below(folder, found->second) > 0);
    };
    const auto begins_with = [&](const auto& file) {
      return name.starts_with(file.first + "_") && file.second.contains(folder);
    };
    const auto begins_with_one_below = [&](const auto& source) {
      return name.starts_with(source.first + "_") && count_below(folder, source.second) == 1;
    };
    return is_named(sources_) || is_named(helpers_) || is_named(folders_) ||
           std::any_of(sources_.begin(), sources_.end(), begins_with) ||
           std::any_of(helpers_.begin(), helpers_.end(), begins_with) ||
           std::any_of(sources_.begin(), sources_.end(), begins_with_one_below);
  }

 private:
  using Places = std::map<std::string, std::set<fs::path>>;  ///< the folders that contain what has a name

  static std::ptrdiff_t count_below(const fs::path& folder, const std::set<fs::path>& places) {
    return std::count_if(places.begin(), places.end(),
                         [&](const fs::path& place) { return is_at_or_below(place, folder); });
  }

  Places sources_, helpers_, folders_;
};

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
      kType(R"(\b(?:struct|enum class|class|enum|union|using|concept)\s+(?:\w+::)*(\w+))"),
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
    if (declares(kMacro) || line.empty() || line[0] == '#' || opens_namespace(line)) continue;
    if (declares(kType)) continue;
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
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& word) { return contains(words, word); });
  });
}

std::vector<std::string> unexplained_words(const std::string& path, std::string_view header) {
  static const std::regex kName(R"(\w+)");
  std::string text = fs::path(path).parent_path();
  std::istringstream lines{std::string(header)};
  for (std::string line; std::getline(lines, line);) {
    const bool is_directive = line.starts_with('#') && !line.starts_with("#define");
    if (!is_directive && !opens_namespace(line) && !line.starts_with("}  // namespace")) text += "\n" + line;
  }
  std::vector<std::string> words;
  for (std::sregex_iterator name(text.begin(), text.end(), kName), end; name != end; ++name) {
    std::vector<std::string> parts = words_of(name->str());
    std::string whole;  // oneDNN is the word onednn, too
    for (const std::string& part : parts) whole += part;
    words.push_back(whole);
    words.insert(words.end(), parts.begin(), parts.end());
  }
  std::vector<std::string> unexplained = words_of(stem_of(path));
  std::erase_if(unexplained, [&](const std::string& word) { return contains(words, word); });
  return unexplained;
}

std::vector<std::string> test_name_violations(const std::vector<std::string>& paths, const NameExceptions& exceptions) {
  static const std::regex kTest(R"(tests/(\w+)/(?:.*/)?(\w+)_test\.cpp)");
  std::map<std::string, Counterparts> counterparts;  // by top folder
  for (const std::string& path : paths) {
    if (std::regex_match(path, kTest)) continue;
    counterparts[*inside(path).begin()].add(inside(path), path.starts_with("tests/"));
  }
  std::vector<std::string> violations;
  Exceptions excepted(exceptions);
  for (const std::string& path : paths) {
    std::smatch test;
    if (!std::regex_match(path, test, kTest)) continue;
    const std::string folder = test[1], name = test[2];
    if (counterparts[folder].contain(inside(path).parent_path(), name) || excepted.cover(path)) continue;
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
    std::vector<std::string> found;
    if (!shares_word(stem_of(path), declared_names(text))) {
      found.push_back(path + " declares nothing that shares a word with its name");
    }
    for (const std::string& word : unexplained_words(path, text)) {
      found.push_back(path + " does not say what \"" + word + "\" in its name means");
    }
    if (!found.empty() && !excepted.cover(path)) violations.insert(violations.end(), found.begin(), found.end());
  }
  excepted.add_unused(violations);
  return violations;
}

}  // namespace nestwright::house
