#include "tests/house/floors.h"

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <utility>

namespace nestwright::house {

std::set<std::string> reachable(const Graph& graph, const std::string& from) {
  std::set<std::string> reached;
  for (std::vector<std::string> waiting{from}; !waiting.empty();) {
    const auto found = graph.find(waiting.back());
    waiting.pop_back();
    if (found == graph.end()) continue;
    for (const std::string& to : found->second) {
      if (reached.insert(to).second) waiting.push_back(to);
    }
  }
  return reached;
}

std::vector<std::string> names_in_cycles(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& [name, direct] : graph) {
    if (reachable(graph, name).contains(name)) names.push_back(name);
  }
  return names;
}

Floors parse_floors(const std::string& document) {
  static const std::regex kNote(R"(\([^)]*\))"), kToken(R"([a-z0-9_/]+|<-|  +|\n)");
  const std::string lines = "\n" + document;
  const std::size_t begin = lines.find("\n```\n", lines.find("\nFloors")), stop = lines.find("\n```\n", begin + 5);
  if (stop == std::string::npos) throw std::runtime_error("the document has no block of floors");
  const std::string table = std::regex_replace(lines.substr(begin + 5, stop - begin - 5), kNote, "");
  Graph arrows;
  std::vector<std::string> group, below;
  for (std::sregex_iterator token(table.begin(), table.end(), kToken), end; token != end; ++token) {
    if (token->str() == "<-") {
      below = std::exchange(group, {});
    } else if (token->str().find_first_of(" \n") == 0) {
      below = group = {};
    } else {
      group.push_back(token->str());
      arrows[token->str()].insert(below.begin(), below.end());
    }
  }
  for (const std::string& name : names_in_cycles(arrows)) {
    throw std::runtime_error("the floors run in a circle through " + name);
  }
  Floors floors;
  for (const auto& [name, direct] : arrows) floors[name] = reachable(arrows, name);
  return floors;
}

namespace {

/// Returns the longest beginning of the path that the table knows, "tree/core" of "tree/core/expr"; empty if none.
std::string known_part(const Floors& floors, std::string path) {
  while (!path.empty() && !floors.contains(path)) {
    const std::size_t slash = path.rfind('/');
    path.erase(slash == std::string::npos ? 0 : slash);
  }
  return path;
}

/// The path in an #include line without its extension: a header with its source may be a room.
std::string without_extension(const std::string& spelled) { return spelled.substr(0, spelled.rfind('.')); }

/// The two floors where the paths part. Within a folder each room is a floor of its own; to others the whole folder is
/// one floor.
std::pair<std::string, std::string> floors_between(const Floors& floors, const std::string& from,
                                                   const std::string& to) {
  const std::string a = without_extension(from), b = without_extension(to);
  const auto common = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  const auto until_parted = [&](const std::string& path) {
    return path.substr(0, path.find('/', static_cast<std::size_t>(common)));
  };
  return {known_part(floors, until_parted(a)), known_part(floors, until_parted(b))};
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
    const auto room = floors.upper_bound(file.folder + "/");
    const bool has_rooms = room != floors.end() && room->first.starts_with(file.folder + "/");
    if (is_known && has_rooms && known_part(floors, without_extension(file.spelled())) == file.folder) {
      violations.push_back(file.path + " is in no room of " + file.folder + " that the floors know");
    }
  }
  return violations;
}

std::vector<std::string> leaked_headers(const std::vector<SourceFile>& files, const std::vector<std::string>& foreign) {
  Graph includes;
  std::set<std::string> headers;  // those that are public
  for (const SourceFile& file : files) {
    if (file.is_header() && file.folder.empty()) headers.insert(file.spelled());
    for (const Include& include : file.includes) {
      if (file.is_header()) includes[file.spelled()].insert(include.path);
      if (include.quoted && !include.path.starts_with(file.folder + "/")) headers.insert(include.path);
    }
  }
  std::vector<std::string> leaks;
  for (const std::string& header : headers) {
    for (const std::string& included : reachable(includes, header)) {
      const auto begins = [&](const std::string& start) { return included.starts_with(start); };
      if (std::any_of(foreign.begin(), foreign.end(), begins)) {
        leaks.push_back(header + " is public and includes " + included);
      }
    }
  }
  return leaks;
}

}  // namespace nestwright::house
