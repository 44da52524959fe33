#include "tests/house/source_tree.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/house/code_text.h"

namespace nestwright::house {

std::vector<Include> read_includes(std::string_view text) {
  std::vector<Include> includes;
  std::istringstream lines(code_of(text, Strings::kKept));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    char hash = 0, open = 0;
    std::string directive;
    if (!(words >> hash) || hash != '#') continue;
    // The directive ends at the path, with or without a space between them.
    for (words >> std::ws; std::isalpha(words.peek());) directive += static_cast<char>(words.get());
    if (directive != "include" || !(words >> open) || (open != '"' && open != '<')) continue;
    std::string path;
    if (std::getline(words, path, open == '"' ? '"' : '>')) includes.push_back({path, open == '"', number});
  }
  return includes;
}

SourceFile read_source(const std::string& path, std::string_view text) {
  SourceFile file;
  file.path = path;
  const std::string spelled = file.spelled();
  const std::size_t slash = spelled.find('/');
  if (slash != std::string::npos) file.folder = spelled.substr(0, slash);
  file.includes = read_includes(text);
  file.lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  return file;
}

std::vector<SourceFile> read_tree(const std::string& root, const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".c") continue;
      std::ifstream stream(entry.path());
      std::stringstream text;
      text << stream.rdbuf();
      files.push_back(read_source(fs::relative(entry.path(), root), text.str()));
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace nestwright::house
