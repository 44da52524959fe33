#include "bench/support/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "templates/framework/template/workload_file.h"

namespace nestwright::bench {
namespace {

/// The name of an operator that is not registered yet; nullopt where it is, or where there is no name.
std::optional<std::string> operator_to_come(const std::string& text) {
  std::istringstream words(text);
  std::string op, word;
  if (!(words >> op)) return std::nullopt;
  for (const std::shared_ptr<const Operator>& known : builtin_registry().operators()) {
    if (known->name == op) return std::nullopt;
  }
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
      throw UsageError("'" + word + "' in the workload is no parameter; write name=value");
    }
  }
  return op;
}

SuiteEntry make_entry(std::string label, const std::string& text) {
  if (operator_to_come(text)) return {std::move(label), text, std::nullopt};
  Workload workload = parse_workload(text);
  std::string canonical = workload.str();
  return {std::move(label), std::move(canonical), std::move(workload)};
}

void refuse_twice(const std::vector<SuiteEntry>& before, const SuiteEntry& entry) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].text == entry.text) {
      throw UsageError(fmt::format("{} is entry {} already; give it once", entry.text, i + 1));
    }
  }
}

}  // namespace

std::vector<std::string> suite_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Suite parse_suite(std::string_view text, const std::string& name, const std::string& source) {
  const std::string file = "suite " + source;
  const WorkloadFile read = parse_workload_file(text, file);
  Suite suite{name, read.summary, {}};
  for (std::size_t i = 0; i < read.entries.size(); ++i) {
    try {
      SuiteEntry entry = make_entry(read.entries[i].label, read.entries[i].workload);
      refuse_twice(suite.entries, entry);
      suite.entries.push_back(std::move(entry));
    } catch (const UsageError& e) {
      throw UsageError(fmt::format("{}: {}", entry_place(file, i, read.entries[i]), e.what()));
    }
  }
  return suite;
}

Suite load_suite(const std::string& name_or_file, const std::filesystem::path& folder) {
  const std::filesystem::path known = folder / (name_or_file + ".json");
  const std::filesystem::path path =
      std::filesystem::is_regular_file(known) ? known : std::filesystem::path(name_or_file);
  std::ifstream file(path, std::ios::binary);
  if (!std::filesystem::is_regular_file(path) || !file) {
    throw UsageError(fmt::format("there is no suite '{}'; the suites are {}, and a file of your own will do",
                                 name_or_file, fmt::join(suite_names(folder), ", ")));
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_suite(text, path.stem(), path.filename());
}

Suite suite_of_workloads(const std::vector<std::string>& workloads) {
  Suite suite{"given", "workloads given on the command line", {}};
  for (const std::string& text : workloads) {
    suite.entries.push_back(make_entry(text, text));
    const std::vector<SuiteEntry> before(suite.entries.begin(), suite.entries.end() - 1);
    refuse_twice(before, suite.entries.back());
  }
  return suite;
}

std::vector<Suite> load_suites(const std::vector<std::string>& names_or_files,
                               const std::vector<std::string>& workloads, const std::filesystem::path& folder) {
  std::vector<Suite> suites;
  for (const std::string& name : names_or_files) suites.push_back(load_suite(name, folder));
  if (!workloads.empty()) suites.push_back(suite_of_workloads(workloads));
  return suites;
}

}  // namespace nestwright::bench
