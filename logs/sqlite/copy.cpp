#include "logs/sqlite/copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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

/// A complete copy of a database beside its future place, under another name: removed at the end unless it was renamed.
class UnfinishedCopy {
 public:
  UnfinishedCopy(const Database& from, const std::string& path)
      : file_(path + "-unfinished-" + std::to_string(getpid())) {
    std::filesystem::remove(file_);
    const Database to(path, file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kBusyTimeout_ms);
    copy(from, to);
  }
  UnfinishedCopy(const UnfinishedCopy&) = delete;
  UnfinishedCopy& operator=(const UnfinishedCopy&) = delete;
  ~UnfinishedCopy() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
};

[[noreturn]] void refuse_existing(const std::string& file) {
  throw LogError(fmt::format("file '{}' exists and was left as it is: remove it or name another one", file));
}

}  // namespace

Database private_copy(const Database& from) {
  Database to(from.path(), "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kBusyTimeout_ms);
  copy(from, to);
  return to;
}

void copy_to_file(const Database& from, const std::string& path) {
  for (const char* end : {"", "-wal", "-journal"}) {
    if (std::filesystem::exists(path + end)) refuse_existing(path + end);
  }
  const UnfinishedCopy copy(from, path);
  if (renameat2(AT_FDCWD, copy.file().c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return;
  // Some file systems do not know this flag.
  if (errno == EINVAL && link(copy.file().c_str(), path.c_str()) == 0) return;
  if (errno == EEXIST) refuse_existing(path);
  throw LogError(fmt::format("file '{}' cannot be made ({}): check its folder", path, std::strerror(errno)));
}

void replace_by_copy(const Database& from, const std::string& path) {
  const UnfinishedCopy copy(from, path);
  for (const char* end : {"-wal", "-shm", "-journal"}) std::filesystem::remove(path + end);
  std::filesystem::rename(copy.file(), path);
}

}  // namespace nestwright::sqlite
