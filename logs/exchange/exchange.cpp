#include "logs/exchange/exchange.h"

#include <fmt/format.h>

#include "logs/exchange/file_format.h"
#include "logs/exchange/files/input_file.h"
#include "logs/exchange/json_lines.h"
#include "logs/exchange/kernel_tuner_cache.h"
#include "logs/exchange/t4.h"
#include "logs/open_log.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;

std::string names_of_formats() {
  std::string names;
  for (const FileFormat& format : file_formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

const FileFormat& format_named(const std::string& name) {
  for (const FileFormat& format : file_formats()) {
    if (name == format.name) return format;
  }
  throw UsageError(fmt::format("there is no format '{}': use one of {}", name, names_of_formats()));
}

const FileFormat& format_of_file(const std::string& path) {
  InputFile file(path);
  const std::string head = file.read(kHeadBytes);
  for (const FileFormat& format : file_formats()) {
    if (format.recognises(head)) return format;
  }
  throw UsageError(
      fmt::format("the format of file '{}' is not recognised: give --format with one of {}", path, names_of_formats()));
}

}  // namespace

std::span<const FileFormat> file_formats() {
  static constexpr FileFormat kFormats[] = {
      {"jsonl", true, recognises_json_lines, import_json_lines, write_json_lines},
      {"kernel-tuner", false, recognises_kernel_tuner_cache, import_kernel_tuner_cache, write_kernel_tuner_cache},
      {"t4", false, recognises_t4, import_t4, write_t4},
  };
  return kFormats;
}

std::vector<std::string> exchange_format_names() {
  std::vector<std::string> names;
  for (const FileFormat& format : file_formats()) names.emplace_back(format.name);
  return names;
}

ImportReport import_records(const std::string& database, const ImportRequest& request, const OpenOptions& options) {
  const FileFormat& format = request.format.empty() ? format_of_file(request.file) : format_named(request.format);
  ImportReport report = format.import(database, request, options);
  report.format = format.name;
  return report;
}

ExportReport export_records(const std::string& database, const TaskFilter& filter, const std::string& format_name,
                            const std::string& file, const OpenOptions& options) {
  const FileFormat& format = format_named(format_name);
  sqlite::Database log = open_log(database, OpenMode::kRead, options);
  log.execute("BEGIN");  // all reads see one state
  const std::vector<StoredTask> tasks = matching_tasks(log, filter);
  if (tasks.empty()) return {};
  if (!format.has_many_tasks && tasks.size() > 1) {
    throw UsageError(
        fmt::format("{} tasks in database '{}' match, such as {} on {}, and a file of the format {} has one: name its"
                    " workload, and choose with --target, --machine, --backend or --caches",
                    tasks.size(), database, tasks.front().key.workload.text, tasks.front().key.target, format.name));
  }
  OutputFile output(file);
  ExportReport report = format.write(log, tasks, output);
  output.finish();
  report.tasks = static_cast<std::int64_t>(tasks.size());
  return report;
}

}  // namespace nestwright
