#include "tests/house/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace nestwright::house {
namespace {

/// Returns the #include lines, those of sources in raw strings, which the exporter writes, among them.
std::vector<Include> read_includes(const std::string& text) {
  static const std::regex kInclude(R"re(\s*#\s*include\s*(["<])([^">\n]+)[">].*)re");
  std::vector<Include> includes;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (line.find("include") == line.npos || !std::regex_match(line, match, kInclude)) continue;
    includes.push_back({match[2], match[1] == "\"", number});
  }
  return includes;
}

}  // namespace

std::string SourceFile::spelled() const {
  for (const std::string_view root : {"src/", "include/"}) {
    if (path.starts_with(root)) return path.substr(root.size());
  }
  return path;
}

SourceFile read_source(const std::string& path, std::string_view text) {
  SourceFile file;
  file.path = path;
  file.text = text;
  const std::string spelled = file.spelled();
  const std::size_t slash = spelled.find('/');
  if (slash != std::string::npos) file.folder = spelled.substr(0, slash);
  file.includes = read_includes(file.text);
  file.lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  return file;
}

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(NESTWRIGHT_SOURCE_DIR "/" + path).rdbuf();
  return text.str();
}

std::vector<SourceFile> read_tree(const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  const fs::path root(NESTWRIGHT_SOURCE_DIR);
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp" && extension != ".c") continue;
      const std::string path = fs::relative(entry.path(), root);
      files.push_back(read_source(path, text_of(path)));
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<SourceFile> product() { return read_tree({"include", "src", "templates", "search", "cost_model", "logs"}); }

std::vector<SourceFile> whole_tree() {
  return read_tree(
      {"include", "src", "templates", "search", "cost_model", "logs", "bench", "examples", "python", "tests"});
}

}  // namespace nestwright::house
