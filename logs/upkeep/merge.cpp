#include "logs/upkeep/merge.h"

#include <fmt/format.h>

#include <filesystem>

#include "logs/open_log.h"
#include "logs/sqlite/copy.h"
#include "logs/upkeep/attached_log.h"
#include "logs/upkeep/existing_log.h"
#include "logs/upkeep/merge_rows.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;

void require_same_sources(const Database& database, const std::string& from, const std::string& to) {
  Statement other = database.prepare(
      "SELECT there.workload FROM source.workload AS there JOIN main.workload AS here"
      " ON here.workload = there.workload WHERE here.source <> there.source LIMIT 1");
  if (!other.step()) return;
  throw LogError(
      fmt::format("workload '{}' was imported from another tuner in one of the databases '{}' and '{}' but not in the "
                  "other, or from different ones: delete it from one of them first",
                  other.text(0), from, to));
}

/// Makes `to` a copy of `from`.
MergeResult copy_log(const Database& from, const std::string& to) {
  require_ended(from, "session", from.path());
  sqlite::copy_to_file(from, to);
  const auto count = [&](const char* table) { return from.integer(fmt::format("SELECT count(*) FROM {}", table)); };
  return {.tasks = count("task"), .sessions = count("session"), .trials = count("trial"), .races = count("race")};
}

}  // namespace

MergeResult merge_log(const std::string& from, const std::string& to, const OpenOptions& options) {
  if (real_file(from) == real_file(to)) {
    throw LogError(fmt::format("database '{}' cannot be merged into itself: name another one", from));
  }
  {
    const Database reading = open_log(from, OpenMode::kRead, options);  // refuses it before the other one is created
    std::error_code ignored;
    if (!std::filesystem::exists(to, ignored)) return copy_log(reading, real_file(to));
  }
  Database database = open_log(to, OpenMode::kWrite, options);
  // The pages of an index are written in no order: without a cache that holds most of them, each is written many times.
  database.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -262144");
  const AttachedLog source(database, from, options);
  sqlite::Transaction transaction(database);
  require_ended(database, "source.session", from);
  require_ended(database, "main.session", to);
  require_same_sources(database, from, to);
  const MergeResult result = merge_rows(database);
  transaction.commit();
  return result;
}

}  // namespace nestwright
