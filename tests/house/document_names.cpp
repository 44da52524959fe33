#include "tests/house/document_names.h"

#include <filesystem>
#include <regex>

namespace nestwright::house {
namespace {

/// Returns the first group of each match.
std::set<std::string> first_groups(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> result;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    result.insert(match->str(1));
  }
  return result;
}

std::string without_blocks(const std::string& text) {
  std::string prose;
  bool inside = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with("```")) {
      inside = !inside;
    } else if (!inside) {
      prose += line + "\n";
    }
    begin = end + 1;
  }
  return prose;
}

}  // namespace

DocumentNames names_in(std::string_view document) {
  const std::string text(document);
  DocumentNames names;
  names.paths = first_groups(without_blocks(text), "`([A-Za-z_.][A-Za-z0-9_.-]*/[A-Za-z0-9_./-]*)`");
  std::erase_if(names.paths, [](const std::string& path) {
    return path.starts_with("include/") || path.starts_with("NESTWRIGHT_");
  });
  names.commands = first_groups(text, "[`/\n]nestwright ([a-z]+)[ `]");
  names.options = first_groups(text, "(?:^|[^A-Za-z0-9_-])(--[a-z][a-z0-9-]*)");
  names.variables = first_groups(text, "\\b(NESTWRIGHT_[A-Z0-9_]*[A-Z0-9])");
  return names;
}

bool has_path(const std::string& root, const std::string& path) {
  for (const char* folder : {"/", "/src/"}) {
    for (const char* ending : {"", ".h", ".cpp"}) {
      if (std::filesystem::exists(root + folder + path + ending)) return true;
    }
  }
  return false;
}

}  // namespace nestwright::house
