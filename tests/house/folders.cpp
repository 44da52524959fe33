#include "tests/house/folders.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <set>

namespace nestwright::house {

std::vector<std::string> large_folders(const std::string& root, const std::string& folder, int most) {
  std::map<std::string, int> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/" + folder)) {
    if (!entry.is_regular_file()) continue;
    ++files[std::filesystem::relative(entry.path().parent_path(), root).string()];
  }
  std::vector<std::string> large;
  for (const auto& [path, count] : files) {
    if (count > most) large.push_back(path + ": " + std::to_string(count));
  }
  return large;
}

namespace {

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

using Graph = std::map<std::string, std::set<std::string>>;

/// A shortest cycle through `start`; empty if there is none.
std::string cycle_through(const Graph& graph, const std::string& start) {
  std::map<std::string, std::string> reached_from;
  std::deque<std::string> waiting = {start};
  while (!waiting.empty()) {
    const std::string from = waiting.front();
    waiting.pop_front();
    const auto edges = graph.find(from);
    if (edges == graph.end()) continue;
    for (const std::string& to : edges->second) {
      if (to == start) {
        std::string text = start;
        for (std::string at = from; at != start; at = reached_from.at(at)) text = at + " -> " + text;
        return start + " -> " + text;
      }
      if (reached_from.emplace(to, from).second) waiting.push_back(to);
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> folder_cycles(const std::vector<SourceFile>& files) {
  Graph graph;
  for (const SourceFile& file : files) {
    for (const Include& include : file.includes) {
      if (!include.quoted || include.path.find('/') == std::string::npos) continue;
      const std::string from = folder_of(file.spelled()), to = folder_of(include.path);
      if (from != to) graph[from].insert(to);
    }
  }
  std::vector<std::string> cycles;
  for (const auto& [folder, edges] : graph) {
    const std::string cycle = cycle_through(graph, folder);
    if (!cycle.empty()) cycles.push_back(cycle);
  }
  return cycles;
}

}  // namespace nestwright::house
