#include "logs/sqlite/copy.h"

#include <unistd.h>

#include <filesystem>

namespace nestwright::sqlite {
namespace {

constexpr int kBusyTimeout_ms = 60'000;

void copy(const Database& from, const Database& to) {
  sqlite3_backup* backup = sqlite3_backup_init(to.connection(), "main", from.connection(), "main");
  if (backup == nullptr) to.fail(sqlite3_errcode(to.connection()));
  sqlite3_backup_step(backup, -1);
  const int code = sqlite3_backup_finish(backup);
  if (code != SQLITE_OK) to.fail(code);
}

}  // namespace

Database private_copy(const Database& from) {
  Database to(from.path(), "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kBusyTimeout_ms);
  copy(from, to);
  return to;
}

void copy_to_file(const Database& from, const std::string& path) {
  const std::string unfinished = path + "-unfinished-" + std::to_string(getpid());
  std::filesystem::remove(unfinished);
  {
    const Database to(path, unfinished, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kBusyTimeout_ms);
    copy(from, to);
  }
  std::filesystem::rename(unfinished, path);
}

}  // namespace nestwright::sqlite
