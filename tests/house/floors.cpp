#include "tests/house/floors.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace nestwright::house {
namespace {

std::string without_notes(const std::string& line) {
  std::string out;
  int depth = 0;
  for (const char c : line) {
    if (c == '(') ++depth;
    if (depth == 0) out += c;
    if (c == ')') --depth;
  }
  return out;
}

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t to = text.find(at); to != std::string::npos; to = text.find(at, from)) {
    parts.push_back(text.substr(from, to - from));
    from = to + at.size();
  }
  parts.push_back(text.substr(from));
  return parts;
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  bool inside = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '/';
    if (letter && !inside) names.emplace_back();
    if (letter) names.back() += c;
    inside = letter;
  }
  return names;
}

std::string table_of(std::string_view document) {
  std::istringstream lines{std::string(document)};
  std::string table;
  bool announced = false, inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Floors")) announced = true;
    if (!announced || (!inside && !line.starts_with("```"))) continue;
    if (inside && line.starts_with("```")) return table;
    if (inside) table += line + "\n";
    inside = true;
  }
  throw std::runtime_error("the document has no block of floors");
}

}  // namespace

Floors parse_floors(std::string_view document) {
  Floors floors;
  std::istringstream lines(table_of(document));
  for (std::string line; std::getline(lines, line);) {
    for (const std::string& chain : split(without_notes(line), "  ")) {
      std::vector<std::string> below;
      for (const std::string& group : split(chain, "<-")) {
        const std::vector<std::string> names = names_in(group);
        for (const std::string& name : names) floors[name].insert(below.begin(), below.end());
        below = names;
      }
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [folder, below] : floors) {
      const std::size_t before = below.size();
      for (const std::string& direct : std::set<std::string>(below))
        below.insert(floors[direct].begin(), floors[direct].end());
      grown = grown || below.size() > before;
      if (below.contains(folder)) throw std::runtime_error("the floors run in a circle through " + folder);
    }
  }
  return floors;
}

namespace {

bool has_rooms(const Floors& floors, const std::string& folder) {
  const auto next = floors.upper_bound(folder + "/");
  return next != floors.end() && next->first.starts_with(folder + "/");
}

/// The parts of a path in an #include line, without its extension: {"ir", "core", "expr"}.
std::vector<std::string> parts_of(const std::string& spelled) {
  return split(spelled.substr(0, spelled.rfind('.')), "/");
}

/// Returns the floor of the first `depth` parts: the longest beginning of them that the table knows.
std::string floor_within(const Floors& floors, const std::vector<std::string>& parts, std::size_t depth) {
  std::string path, known;
  for (std::size_t i = 0; i < std::min(depth, parts.size()); ++i) {
    path += (i > 0 ? "/" : "") + parts[i];
    if (floors.contains(path)) known = path;
  }
  return known;
}

/// Returns the innermost room of the table that contains the file (a header with its source may be a room), else its
/// folder. Requires a folder that the table knows.
std::string innermost_floor(const Floors& floors, const std::string& spelled) {
  const std::vector<std::string> parts = parts_of(spelled);
  return floor_within(floors, parts, parts.size());
}

/// The two floors where the paths part. Within a folder each room is a floor of its own; to others the whole folder is
/// one floor.
std::pair<std::string, std::string> floors_between(const Floors& floors, const std::string& from,
                                                   const std::string& to) {
  const std::vector<std::string> a = parts_of(from), b = parts_of(to);
  std::size_t common = 0;
  while (common < std::min(a.size(), b.size()) && a[common] == b[common]) ++common;
  return {floor_within(floors, a, common + 1), floor_within(floors, b, common + 1)};
}

}  // namespace

std::vector<std::string> floor_violations(const Floors& floors, const std::vector<SourceFile>& files) {
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    const bool is_known = floors.contains(file.folder);
    for (const Include& include : file.includes) {
      if (!include.quoted) continue;
      const std::string where = file.path + ":" + std::to_string(include.line) + " includes \"" + include.path + "\"";
      const std::string folder = include.path.substr(0, include.path.find('/'));
      if (!floors.contains(folder) || folder == include.path) {
        violations.push_back(where + ", which does not begin with a folder of the house");
      } else if (is_known) {
        const auto [from, to] = floors_between(floors, file.spelled(), include.path);
        if (from != to && !floors.at(from).contains(to))
          violations.push_back(where + ", but " + to + " is not below " + from);
      }
    }
    if (!is_known && !file.folder.empty()) {
      violations.push_back(file.path + " is in folder " + file.folder + ", which the floors do not know");
    }
    if (is_known && has_rooms(floors, file.folder) && innermost_floor(floors, file.spelled()) == file.folder) {
      violations.push_back(file.path + " is in no room of " + file.folder + " that the floors know");
    }
  }
  return violations;
}

std::vector<std::string> leaked_headers(const std::vector<SourceFile>& files, const std::vector<std::string>& foreign) {
  std::map<std::string, const SourceFile*> headers;
  for (const SourceFile& file : files) {
    if (file.is_header()) headers[file.spelled()] = &file;
  }
  std::vector<const SourceFile*> waiting;
  std::set<const SourceFile*> open;
  const auto publish = [&](const SourceFile* header) {
    if (open.insert(header).second) waiting.push_back(header);
  };
  for (const SourceFile& file : files) {
    if (file.is_header() && file.folder.empty()) publish(&file);
    for (const Include& include : file.includes) {
      const auto header = headers.find(include.path);
      if (header != headers.end() && header->second->folder != file.folder) publish(header->second);
    }
  }
  std::vector<std::string> leaks;
  while (!waiting.empty()) {
    const SourceFile* header = waiting.back();
    waiting.pop_back();
    for (const Include& include : header->includes) {
      if (const auto next = headers.find(include.path); next != headers.end()) publish(next->second);
      const auto begins = [&](const std::string& start) { return include.path.starts_with(start); };
      if (std::any_of(foreign.begin(), foreign.end(), begins)) {
        leaks.push_back(header->path + " is public and includes " + include.path);
      }
    }
  }
  std::sort(leaks.begin(), leaks.end());
  return leaks;
}

}  // namespace nestwright::house
