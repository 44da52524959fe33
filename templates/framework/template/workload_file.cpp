#include "templates/framework/template/workload_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using Json = nlohmann::json;

/// Characters of a text, which count the lines that were read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, int* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_++ == '\n') ++*line_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  int* line_;
};

struct ParsedFile {
  Json json;
  std::vector<int> lines;  ///< of each entry, from 1
};

/// Parses without looking ahead of a text, an object or a list, so that the line that was read is that of an entry.
ParsedFile parse_lines(std::string_view text) {
  ParsedFile parsed;
  int line = 1;
  std::string key;  // of the outermost object; empty in a list
  const auto note = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (depth == 1 && event == Json::parse_event_t::key) {
      key = value.get<std::string>();
      if (key == "entries") parsed.lines.clear();  // the last list of that name counts
    }
    const bool begins = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start ||
                        event == Json::parse_event_t::value;
    if (begins && depth == (key.empty() ? 1 : 2) && (key.empty() || key == "entries")) parsed.lines.push_back(line);
    return true;
  };
  parsed.json =
      Json::parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line), note);
  return parsed;
}

ParsedFile parse_json(std::string_view text) {
  try {
    return parse_lines(text);
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
WorkloadEntry named(const Json& entry, int line) {
  const auto text = [&](const char* key) {
    return entry.is_object() && entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>()
                                                                              : std::string();
  };
  const std::string workload = entry.is_string() ? entry.get<std::string>() : text("workload");
  const std::string label = text("label");
  return {label.empty() ? workload : label, workload, 1, line};
}

}  // namespace

std::string entry_place(const std::string& source, std::size_t index, const WorkloadEntry& entry) {
  return fmt::format("{}, line {}, entry {}{}", source, entry.line, index + 1,
                     entry.label.empty() ? "" : fmt::format(" ({})", entry.label));
}

WorkloadFile parse_workload_file(std::string_view text, const std::string& source) {
  std::string where = source;
  try {
    const auto [json, lines] = parse_json(text);
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
      const int line = lines.at(i);
      where = entry_place(source, i, named(entries[i], line));
      file.entries.push_back(parse_entry(entries[i]));
      file.entries.back().line = line;
    }
    return file;
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", where, e.what()));
  }
}

}  // namespace nestwright
