#include "logs/exchange/foreign_file.h"

#include <fmt/format.h>

#include <set>

#include "logs/exchange/files/json_entries.h"
#include "logs/exchange/foreign_log.h"
#include "logs/open_log.h"
#include "nestwright/error.h"

namespace nestwright {

using Json = nlohmann::ordered_json;

void require_version_1(const Json& header, const std::string& path) {
  const auto version = header.find("schema_version");
  if (version == header.end()) return;
  if (version->is_string() && version->get_ref<const std::string&>().starts_with("1.")) return;
  throw UsageError(
      fmt::format("file '{}' has the schema version {}, but this nestwright reads versions 1.x: use a newer nestwright",
                  path, version->dump()));
}

ImportReport import_foreign_file(const std::string& database, const ImportRequest& request, const OpenOptions& options,
                                 const ForeignFile& format) {
  Json header = Json::object();
  EntryHandlers first{.container = format.container, .may_end_open = format.may_end_open};
  first.on_field = [&](const std::string& name, Json value) { header[name] = std::move(value); };
  const EntriesRead read = read_json_entries(request.file, first);
  if (!read.has_container || read.entries == 0) {
    throw UsageError(fmt::format("file '{}' has no {} in '{}': there is nothing to import", request.file, format.entry,
                                 format.container));
  }
  ForeignSpace space = format.space(header);
  if (!request.kernel.empty()) space.kernel = request.kernel;
  if (!request.device.empty()) space.device = request.device;

  const auto for_each_trial = [&](const std::function<void(const ForeignTrial&)>& f) {
    std::int64_t number = 0;
    EntryHandlers entries{.container = format.container, .may_end_open = format.may_end_open};
    entries.on_entry = [&](const std::string& name, const Json& entry) {
      ++number;
      try {
        f(format.trial(header, name, entry));
      } catch (const UsageError& e) {
        throw UsageError(
            fmt::format("{} {} of file '{}' {}: correct the file", format.entry, number, request.file, e.what()));
      }
    };
    read_json_entries(request.file, entries);
  };
  KnobOrder order;
  std::set<std::string> configurations;
  for_each_trial([&](const ForeignTrial& trial) {
    const std::string text = order.sorted(trial.config).str();
    if (!configurations.insert(text).second) {
      refuse_part(fmt::format("has a configuration that was there before: {}", text));
    }
  });
  configurations.clear();

  ImportReport report;
  report.workload = foreign_task(space).workload.text;
  sqlite::Database log = open_log(database, OpenMode::kWrite, options);
  ForeignSession session(log, space, read.content_hash);
  for_each_trial([&](const ForeignTrial& trial) { ++(session.add(trial) ? report.trials : report.known); });
  if (report.trials == 0) return report;
  session.finish();
  report.sessions = session.is_new() ? 1 : 0;
  return report;
}

}  // namespace nestwright
