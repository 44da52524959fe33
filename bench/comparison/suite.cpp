#include "bench/comparison/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "support/error.h"
#include "templates/registry.h"

namespace nestwright::bench {
namespace {

using Json = nlohmann::json;

/// The operator's name where no such operator is registered; nothing where it is, or where there is no name.
std::optional<std::string> operator_to_come(const std::string& text) {
  std::istringstream words(text);
  std::string op, word;
  if (!(words >> op)) return std::nullopt;
  for (const Operator& known : operators()) {
    if (known.name == op) return std::nullopt;
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

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw UsageError(fmt::format("\"{}\" is missing", key));
  if (!found->is_string() || found->get<std::string>().empty()) {
    throw UsageError(fmt::format("\"{}\" must be a text that is not empty", key));
  }
  return *found;
}

void refuse_unknown(const Json& object, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw UsageError(fmt::format("\"{}\" is unknown here; there are {}", key, fmt::join(known, " and ")));
    }
  }
}

/// How messages call an entry: "entry 3 (BERT-base qkv)".
std::string entry_name(std::size_t index, const Json& entry) {
  const bool labelled = entry.is_object() && entry.contains("label") && entry["label"].is_string();
  return fmt::format("entry {}{}", index + 1,
                     labelled ? " (" + entry["label"].get<std::string>() + ")" : std::string());
}

void refuse_twice(const std::vector<SuiteEntry>& before, const SuiteEntry& entry) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].text == entry.text) {
      throw UsageError(fmt::format("{} is entry {} already; give it once", entry.text, i + 1));
    }
  }
}

SuiteEntry parse_entry(const Json& entry, const std::vector<SuiteEntry>& before) {
  if (!entry.is_object()) throw UsageError("an entry is an object with \"label\" and \"workload\"");
  refuse_unknown(entry, {"label", "workload"});
  SuiteEntry parsed = make_entry(text_of(entry, "label"), text_of(entry, "workload"));
  refuse_twice(before, parsed);
  return parsed;
}

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const auto at = std::min(e.byte, text.size());
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    throw UsageError(fmt::format("is no JSON at line {}; look there for a missing comma, quote or bracket", line));
  }
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Suite parse_suite(std::string_view text, const std::string& name, const std::string& source) {
  std::string where = source;
  try {
    const Json json = parse_json(text);
    if (!json.is_object()) throw UsageError("a suite is an object with \"summary\" and \"entries\"");
    refuse_unknown(json, {"summary", "entries"});
    Suite suite{name, text_of(json, "summary"), {}};
    const auto entries = json.find("entries");
    if (entries == json.end() || !entries->is_array() || entries->empty()) {
      throw UsageError("\"entries\" must be a list of at least one entry");
    }
    for (std::size_t i = 0; i < entries->size(); ++i) {
      where = source + ", " + entry_name(i, (*entries)[i]);
      suite.entries.push_back(parse_entry((*entries)[i], suite.entries));
    }
    return suite;
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("suite {}: {}", where, e.what()));
  }
}

Suite load_suite(const std::string& name_or_file, const std::filesystem::path& folder) {
  const std::filesystem::path known = folder / (name_or_file + ".json");
  const std::filesystem::path path =
      std::filesystem::is_regular_file(known) ? known : std::filesystem::path(name_or_file);
  std::ifstream file(path, std::ios::binary);
  if (!std::filesystem::is_regular_file(path) || !file) {
    throw UsageError(fmt::format("there is no suite '{}'; the suites are {}, and a file of your own will do",
                                 name_or_file, fmt::join(names_in(folder), ", ")));
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

}  // namespace nestwright::bench
