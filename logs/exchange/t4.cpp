#include "logs/exchange/t4.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "logs/exchange/exported_trials.h"
#include "logs/exchange/foreign_file.h"
#include "logs/exchange/t4_entry.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

/// The text of a field of the metadata; empty: there is none.
std::string metadata(const Json& header, const char* name) {
  const auto all = header.find("metadata");
  if (all == header.end() || !all->is_object()) return "";
  const auto field = all->find(name);
  return field != all->end() && field->is_string() ? field->get<std::string>() : "";
}

/// The unit of a file's times. Files without one are Kernel Tuner's.
double unit_of_file(const Json& header, const std::string& path) {
  const std::string name = metadata(header, "timeunit");
  if (name.empty()) return 1;
  const double unit_ms = time_unit_ms(name);
  if (unit_ms > 0) return unit_ms;
  throw UsageError(fmt::format("file '{}' has the unnamed unit of time '{}': correct its metadata", path, name));
}

/// The path without the extensions of a file in JSON.
std::filesystem::path without_extensions(const std::string& path) {
  std::filesystem::path name = path;
  if (name.extension() == ".gz") name.replace_extension();
  if (name.extension() == ".json") name.replace_extension();
  return name;
}

/// Whether the name of a device, "NVIDIA A100-PCIE-40GB", has the word, "A100".
bool has_word(std::string_view name, std::string_view word) {
  const auto is_of_word = [&](std::size_t at) {
    return at < name.size() && std::isalnum(static_cast<unsigned char>(name[at])) != 0;
  };
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    if ((at == 0 || !is_of_word(at - 1)) && !is_of_word(at + word.size())) return true;
  }
  return false;
}

/// Fills in what the path says, "convolution/A100_T4.json" or "convolution.json". In a file that names another device,
/// as those of log export do, "matmul_T4.json" is the kernel.
void take_names_of_path(ForeignSpace& space, const std::string& path) {
  constexpr std::string_view kHubSuffix = "_T4";
  const std::filesystem::path name = without_extensions(std::filesystem::absolute(path).string());
  std::string stem = name.filename().string();
  if (stem.ends_with(kHubSuffix)) {
    stem.resize(stem.size() - kHubSuffix.size());
    if (space.device.empty()) space.device = stem;
    if (has_word(space.device, stem)) stem = name.parent_path().filename().string();
  }
  space.kernel = stem;
}

ForeignSpace space_of(const Json& header, const std::string& path) {
  require_version_1(header, path);
  unit_of_file(header, path);
  ForeignSpace space;
  space.source = "T4";
  space.device = metadata(header, "device");
  space.tuner = metadata(header, "autotuner");
  if (const std::string version = metadata(header, "autotuner_version"); !version.empty()) space.tuner += " " + version;
  take_names_of_path(space, path);
  space.header = header;
  return space;
}

}  // namespace

bool recognises_t4(std::string_view head) {
  return head.find("\"results\"") != std::string_view::npos && head.find("\"configuration\"") != std::string_view::npos;
}

ImportReport import_t4(const std::string& database, const ImportRequest& request, const OpenOptions& options) {
  ForeignFile format{.container = "results", .entry = "result"};
  format.space = [&](const Json& header) { return space_of(header, request.file); };
  format.trial = [&](const Json& header, const std::string&, const Json& result) {
    return trial_of_t4(result, unit_of_file(header, request.file));
  };
  return import_foreign_file(database, request, options, format);
}

ExportReport write_t4(const sqlite::Database& database, const std::vector<StoredTask>& tasks, OutputFile& file) {
  const ExportedTask task(database, tasks.front());
  const bool is_t4 = task.key().workload.source == "T4" && task.header().is_object();
  Json header = is_t4 ? task.header() : Json::object();
  if (!is_t4) {
    const bool is_own = task.key().workload.source.empty();
    header["schema_version"] = "1.0.0";
    header["metadata"] = {{"device", task.key().machine},
                          {"autotuner", is_own ? "Nestwright" : task.key().backend},
                          {"timeunit", "milliseconds"}};
  }
  const double unit_ms = unit_of_file(header, database.path());
  file.write("{\n");
  for (const auto& [name, value] : header.items()) {
    file.write(fmt::format("{}: {},\n", Json(name).dump(), to_text(value)));
  }
  file.write("\"results\": [");
  ExportReport report;
  report.left_out = task.left_out();
  task.for_each([&](const ForeignTrial& trial) {
    file.write(fmt::format("{}\n{}", report.trials == 0 ? "" : ",", to_text(t4_of_trial(trial, unit_ms))));
    ++report.trials;
  });
  file.write("\n]\n}\n");
  return report;
}

}  // namespace nestwright
