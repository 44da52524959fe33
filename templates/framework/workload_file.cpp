#include "templates/framework/workload_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "support/error.h"

namespace nestwright {
namespace {

using Json = nlohmann::json;

Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const std::string_view before = text.substr(0, std::min(e.byte > 0 ? e.byte - 1 : 0, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // rfind gives -1 on the first line
    throw UsageError(fmt::format("is no JSON at line {}, column {}; look there for a missing comma, quote or bracket",
                                 line, column));
  } catch (const Json::out_of_range&) {
    throw UsageError("has a number that is larger than any double; give weights below 1e308");
  }
}

void refuse_unknown(const Json& object, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw UsageError(fmt::format("\"{}\" is unknown here; there are {}", key, fmt::join(known, ", ")));
    }
  }
}

/// nullopt where there is no such field.
std::optional<std::string> text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (!found->is_string() || found->get<std::string>().empty()) {
    throw UsageError(fmt::format("\"{}\" must be a text that is not empty", key));
  }
  return found->get<std::string>();
}

double weight_of(const Json& object) {
  const auto found = object.find("weight");
  if (found == object.end()) return 1;
  const double weight = found->is_number() ? found->get<double>() : 0;
  if (!(weight > 0) || !std::isfinite(weight)) throw UsageError("\"weight\" must be a number above 0");
  return weight;
}

WorkloadEntry parse_entry(const Json& entry) {
  if (entry.is_string() && !entry.get<std::string>().empty()) return {entry, entry, 1};
  if (!entry.is_object()) {
    throw UsageError("an entry is a workload in quotes, or an object with \"workload\", \"label\" and \"weight\"");
  }
  refuse_unknown(entry, {"label", "workload", "weight"});
  const auto workload = text_of(entry, "workload");
  if (!workload) throw UsageError("\"workload\" is missing");
  return {text_of(entry, "label").value_or(*workload), *workload, weight_of(entry)};
}

/// As much of an entry as messages name.
WorkloadEntry named(const Json& entry) {
  const bool labelled = entry.is_object() && entry.contains("label") && entry["label"].is_string();
  return {labelled ? entry["label"].get<std::string>() : std::string(), {}, 1};
}

}  // namespace

std::string entry_place(const std::string& source, std::size_t index, const WorkloadEntry& entry) {
  const bool labelled = !entry.label.empty() && entry.label != entry.workload;
  return fmt::format("{}, entry {}{}", source, index + 1, labelled ? fmt::format(" ({})", entry.label) : "");
}

WorkloadFile parse_workload_file(std::string_view text, const std::string& source) {
  std::string where = source;
  try {
    const Json json = parse_json(text);
    if (!json.is_object() && !json.is_array()) {
      throw UsageError("must be a list of workloads, or an object with \"summary\" and \"entries\"");
    }
    WorkloadFile file;
    if (json.is_object()) {
      refuse_unknown(json, {"summary", "entries"});
      file.summary = text_of(json, "summary").value_or("");
    }
    const Json entries = json.is_object() ? json.value("entries", Json()) : json;
    if (!entries.is_array() || entries.empty()) {
      throw UsageError("\"entries\" must be a list of at least one entry");
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      where = entry_place(source, i, named(entries[i]));
      file.entries.push_back(parse_entry(entries[i]));
    }
    return file;
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", where, e.what()));
  }
}

}  // namespace nestwright
