#include "logs/exchange/kernel_tuner_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "logs/exchange/cache_entry.h"
#include "logs/exchange/exported_trials.h"
#include "logs/exchange/foreign_file.h"
#include "logs/exchange/t4_entry.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSource = "Kernel Tuner cache";
constexpr double kMs = 1;  // the unit of all times

const Json& required_field(const Json& header, const char* name, const std::string& path) {
  const auto field = header.find(name);
  if (field != header.end()) return *field;
  throw UsageError(
      fmt::format("file '{}' has no '{}', which a cache of Kernel Tuner has: give another file", path, name));
}

std::string required_text(const Json& header, const char* name, const std::string& path) {
  const Json& field = required_field(header, name, path);
  if (field.is_string()) return field.get<std::string>();
  throw UsageError(fmt::format("file '{}' has a '{}' that is not a text: correct the file", path, name));
}

/// "4096,4096" for [4096, 4096].
std::string problem_size_of(const Json& header) {
  const auto size = header.find("problem_size");
  if (size == header.end()) return "";
  std::string text;
  for (const Json& part : size->is_array() ? *size : Json::array({*size})) {
    if (!text.empty()) text += ',';
    text += part.is_string() ? part.get<std::string>() : part.dump();
  }
  std::ranges::replace(text, ' ', '_');
  return text;
}

ForeignSpace space_of(const Json& header, const std::string& path) {
  require_version_1(header, path);
  ForeignSpace space;
  space.source = kSource;
  space.tuner = "Kernel Tuner";
  space.kernel = required_text(header, "kernel_name", path);
  space.device = required_text(header, "device_name", path);
  space.problem_size = problem_size_of(header);
  const Json& keys = required_field(header, "tune_params_keys", path);
  const bool are_names =
      keys.is_array() && !keys.empty() && std::ranges::all_of(keys, [](const Json& key) { return key.is_string(); });
  if (!are_names) {
    throw UsageError(
        fmt::format("file '{}' has 'tune_params_keys' that are not a list of names: correct the file", path));
  }
  space.header = header;
  return space;
}

/// The parameters of an exported task with the values that its trials have, each in the order of first appearance.
std::pair<Json, Json> parameters_of(const ExportedTask& task) {
  Json keys = Json::array(), values = Json::object();
  std::map<std::string, std::map<std::string, bool>> seen;
  task.for_each([&](const ForeignTrial& trial) {
    for (const ConfigEntry& entry : trial.config.entries()) {
      if (!seen.contains(entry.knob)) keys.push_back(entry.knob);
      const Json value = value_of(entry);
      if (seen[entry.knob].emplace(to_text(value), true).second) values[entry.knob].push_back(value);
    }
  });
  // Branches of a space have different knobs.
  task.for_each([&](const ForeignTrial& trial) {
    for (const Json& key : keys) {
      const std::string& name = key.get_ref<const std::string&>();
      if (trial.config.find(name) == nullptr && seen[name].emplace("null", true).second)
        values[name].push_back(nullptr);
    }
  });
  return {std::move(keys), std::move(values)};
}

/// The header of an imported file with the parameters and values that only trials of other files have.
Json completed_header(Json header, const ExportedTask& task) {
  const auto [names, values] = parameters_of(task);
  Json& keys = header["tune_params_keys"];
  Json& listed = header["tune_params"];
  for (const Json& key : names) {
    const std::string& name = key.get_ref<const std::string&>();
    const bool is_new = std::ranges::find(keys, key) == keys.end();
    if (is_new) keys.push_back(key);
    if (!listed.is_object() || (!is_new && !listed.contains(name))) continue;  // as the file has it
    Json& all = listed[name];
    if (!all.is_null() && !all.is_array()) continue;
    for (const Json& value : values[name]) {
      if (std::ranges::find(all, value) == all.end()) all.push_back(value);
    }
  }
  return header;
}

/// The fields before the cache.
Json header_of(const ExportedTask& task) {
  const TaskKey& key = task.key();
  const bool is_cache = key.workload.source == kSource && task.header().contains("tune_params_keys") &&
                        task.header()["tune_params_keys"].is_array();
  if (is_cache) return completed_header(task.header(), task);
  constexpr std::string_view kPrefix = "kernel_tuner:";
  Json problem_size = Json::array();
  for (const WorkloadParameter& parameter : key.workload.parameters) {
    const Json value = Json::parse(parameter.value, nullptr, false);
    if (value.is_number_integer()) problem_size.push_back(value);
  }
  auto [keys, values] = parameters_of(task);
  const std::string& op = key.workload.op;
  return {{"schema_version", "1.1.0"},
          {"device_name", key.machine},
          {"kernel_name", op.starts_with(kPrefix) ? op.substr(kPrefix.size()) : op},
          {"problem_size", std::move(problem_size)},
          {"tune_params_keys", std::move(keys)},
          {"tune_params", std::move(values)},
          {"objective", "time"}};
}

}  // namespace

bool recognises_kernel_tuner_cache(std::string_view head) {
  return head.find("\"tune_params_keys\"") != std::string_view::npos;
}

ImportReport import_kernel_tuner_cache(const std::string& database, const ImportRequest& request,
                                       const OpenOptions& options) {
  ForeignFile format{.container = "cache", .entry = "entry", .may_end_open = true};
  format.space = [&](const Json& header) { return space_of(header, request.file); };
  format.trial = [](const Json& header, const std::string& name, const Json& entry) {
    return trial_of_t4(t4_of_cache_entry(header, name, entry), kMs);
  };
  return import_foreign_file(database, request, options, format);
}

ExportReport write_kernel_tuner_cache(const sqlite::Database& database, const std::vector<StoredTask>& tasks,
                                      OutputFile& file) {
  const ExportedTask task(database, tasks.front());
  const Json header = header_of(task);
  const bool is_complete = task.key().workload.source != kSource;
  file.write("{\n");
  for (const auto& [name, value] : header.items()) {
    file.write(fmt::format("{}: {},\n", Json(name).dump(), to_text(value)));
  }
  file.write("\"cache\": {");
  ExportReport report;
  report.left_out = task.left_out();
  std::set<std::string> names;
  task.for_each([&](const ForeignTrial& trial) {
    const auto [name, entry] = cache_entry_of_t4(header, t4_of_trial(trial, kMs), is_complete);
    if (!names.insert(name).second) {
      throw UsageError(
          fmt::format("two configurations of {} in database '{}' have the name '{}' in a cache of Kernel Tuner:"
                      " export them in another format",
                      task.key().workload.text, database.path(), name));
    }
    file.write(fmt::format("{}\n{}: {}", report.trials == 0 ? "" : ",", to_text(name), to_text(entry)));
    ++report.trials;
  });
  file.write("\n}\n}\n");  // Kernel Tuner looks for these last characters
  return report;
}

}  // namespace nestwright
