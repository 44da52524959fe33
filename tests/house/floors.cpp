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

namespace {

/// Returns the block of the document after the line that starts with `title`, with a newline in front.
std::string block_after(const std::string& document, const std::string& title) {
  const std::string lines = "\n" + document;
  const std::size_t at = lines.find("\n" + title), begin = lines.find("\n```\n", at);
  const std::size_t stop = begin == lines.npos ? begin : lines.find("\n```\n", begin + 5);
  if (at == lines.npos || stop == lines.npos) throw std::runtime_error("the document has no block after " + title);
  return lines.substr(begin + 4, stop - begin - 3);
}

}  // namespace

Floors parse_floors(const std::string& document) {
  static const std::regex kNote(R"(\([^)]*\))"), kToken(R"([a-z0-9_/]+|<-|  +|\n)");
  const std::string table = std::regex_replace(block_after(document, "Floors"), kNote, "");
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

PublicHeaders parse_public_headers(const std::string& document) {
  static const std::regex kLine(R"(\n([a-z_/, ]+)  +([a-z_/]+)(?=\n))"), kName("[a-z_/]+");
  const std::string table = block_after(document, "Public headers");
  PublicHeaders folders;
  for (std::sregex_iterator line(table.begin(), table.end(), kLine), end; line != end; ++line) {
    const std::string names = line->str(1);
    for (std::sregex_iterator name(names.begin(), names.end(), kName); name != end; ++name) {
      folders["nestwright/" + name->str() + ".h"] = line->str(2);
    }
  }
  return folders;
}

namespace {

/// The path of a header as if a public one lay in its folder: "ir/core/expr.h".
std::string placed(const std::string& path, const PublicHeaders& folders) {
  const auto folder = folders.find(path);
  return folder == folders.end() ? path : folder->second + path.substr(path.find('/'));
}

std::string first_folder(const std::string& path) {
  const std::size_t slash = path.find('/');
  return slash == path.npos ? "" : path.substr(0, slash);
}

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

std::vector<std::string> floor_violations(const Floors& floors, const std::vector<SourceFile>& files,
                                          const PublicHeaders& public_headers) {
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    const bool is_public = file.path.starts_with("include/");
    const std::string path = placed(file.spelled(), public_headers), folder = first_folder(path);
    const bool is_umbrella = path == "nestwright/nestwright.h", is_known = floors.contains(folder);
    for (const Include& include : file.includes) {
      if (!include.quoted) continue;
      const std::string where = file.path + ":" + std::to_string(include.line) + " includes \"" + include.path + "\"";
      const std::string included = placed(include.path, public_headers);
      if (is_public && first_folder(include.path) != "nestwright") {
        violations.push_back(where + ", which is not public");
      } else if (!floors.contains(first_folder(included))) {
        violations.push_back(where + ", which does not begin with a folder of the house");
      } else if (is_known) {
        const auto [from, to] = floors_between(floors, path, included);
        if (from != to && !floors.at(from).contains(to))
          violations.push_back(where + ", but " + to + " is not below " + from);
      }
    }
    if (!is_known && !folder.empty() && !is_umbrella) {
      violations.push_back(file.path + " is in folder " + folder + ", which the floors do not know");
    }
    const auto room = floors.upper_bound(folder + "/");
    const bool has_rooms = room != floors.end() && room->first.starts_with(folder + "/");
    if (is_known && has_rooms && known_part(floors, without_extension(path)) == folder) {
      violations.push_back(file.path + " is in no room of " + folder + " that the floors know");
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
