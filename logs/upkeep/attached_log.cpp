#include "logs/upkeep/attached_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "logs/open_log.h"
#include "logs/schema.h"
#include "logs/sqlite/copy.h"

namespace nestwright {

using sqlite::Database;

AttachedLog::AttachedLog(Database& to, const std::string& path, const OpenOptions& options) : to_(to) {
  const Database reading = open_log(path, OpenMode::kRead, options);
  if (attach(real_file(path))) return;
  // The copy has no name once it is attached, so that nothing is left of it even if this process is killed.
  const std::string copy = fmt::format("{}-attached-{}", to.path(), getpid());
  sqlite::replace_by_copy(reading, copy);
  if (!attach(copy)) to.fail(SQLITE_CANTOPEN);
  to.execute("PRAGMA source.journal_mode = DELETE");
  std::filesystem::remove(copy);
}

/// Attaches a file. Returns false, with nothing attached, unless it can be read and has the newest schema.
bool AttachedLog::attach(const std::string& file) {
  try {
    to_.prepare("ATTACH ? AS source").bind(file).run();
  } catch (const sqlite::Failure&) {
    return false;
  }
  try {
    if (to_.pragma("source.user_version") == log_migrations().back().to_version) return true;
  } catch (const sqlite::Failure&) {  // a write-ahead log whose index cannot be made
  }
  to_.execute("DETACH source");
  return false;
}

AttachedLog::~AttachedLog() { sqlite3_exec(to_.connection(), "DETACH source", nullptr, nullptr, nullptr); }

}  // namespace nestwright
