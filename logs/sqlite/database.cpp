#include "logs/sqlite/database.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "logs/sqlite/copy.h"

namespace nestwright::sqlite {

Database::Database(const std::string& path, const std::string& open_as, int flags, int busy_timeout_ms)
    : path_(path), busy_timeout_ms_(busy_timeout_ms) {
  sqlite3* raw = nullptr;
  // A connection is used by one thread at a time, so SQLite does not need locks.
  int code = sqlite3_open_v2(open_as.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(raw);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, busy_timeout_ms);
}

void Database::fail(int code) const {
  const std::string detail = connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
  std::string what;
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      what = fmt::format("has been locked by another process for {} s: try again when that one is done",
                         busy_timeout_ms_ / 1e3);
      break;
    case SQLITE_FULL:
      what = "has no space left on its disk: free some and run again (every acknowledged trial is kept)";
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      what = fmt::format(
          "is damaged or not a database ({}) and was left as it is: restore a copy, save what can be read"
          " with 'nestwright log repair'",
          detail);
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
      what = "is read-only: make the file and its folder writable";
      break;
    case SQLITE_CANTOPEN:
      what = "cannot be opened: check that its folder exists and that you may read and write there";
      break;
    default:
      what = fmt::format("failed ({}, code {}): check the disk", detail, code);
  }
  throw Failure(code, fmt::format("database '{}' {}, or give another file with --db", path_, what));
}

void Database::execute(const std::string& sql) {
  int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::watch(const std::string& file) {
  struct stat status{};
  if (stat(file.c_str(), &status) != 0) return;
  file_ = file;
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

void Database::require_in_place() {
  if (file_.empty()) return;
  if (!loss_.empty()) throw LogError(loss_);
  struct stat status{};
  const bool is_there = stat(file_.c_str(), &status) == 0;
  if (is_there && status.st_dev == device_ && status.st_ino == inode_) return;
  // Not under the old name, because the old file's write-ahead log may still exist beside it.
  std::string rescued = file_ + "-rescued";
  const auto is_taken = [&] { return std::filesystem::exists(rescued) || std::filesystem::exists(rescued + "-wal"); };
  for (int n = 2; is_taken(); ++n) rescued = fmt::format("{}-rescued-{}", file_, n);
  loss_ = fmt::format("database '{}' was {} while it was in use", path_, is_there ? "replaced" : "removed");
  copy_to_file(*this, rescued);
  loss_ += fmt::format(": all that was recorded is in '{}' now; run again with --db {}", rescued, rescued);
  throw LogError(loss_);
}

Statement Database::prepare(std::string_view sql) const { return {*this, sql}; }

std::int64_t Database::integer(const std::string& query) const {
  Statement statement = prepare(query);
  return statement.step() ? statement.integer(0) : 0;
}

Statement::Statement(const Database& database, std::string_view sql) : database_(&database) {
  auto kept = database.idle_.find(sql);
  if (kept != database.idle_.end() && kept->second) {
    home_ = &kept->second;
    statement_ = std::move(kept->second);
    return;
  }
  sqlite3_stmt* raw = nullptr;
  int code = sqlite3_prepare_v3(database.connection(), sql.data(), static_cast<int>(sql.size()),
                                SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (code != SQLITE_OK) database.fail(code);
  statement_.reset(raw);
  // A second statement of the same text, while the first is in use, is not kept.
  const bool is_first = kept == database.idle_.end();
  home_ = is_first ? &database.idle_.try_emplace(std::string(sql)).first->second : nullptr;
}

Statement::~Statement() {
  if (!statement_ || home_ == nullptr) return;
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  *home_ = std::move(statement_);
}

bool Statement::step() {
  int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return data ? std::string(data, sqlite3_column_bytes(statement_.get(), column)) : std::string();
}

void Statement::bind_one(int index, std::string_view value) {
  // An empty view may have null data, which SQLite would take for NULL.
  const char* data = value.data() ? value.data() : "";
  accept(sqlite3_bind_text(statement_.get(), index, data, static_cast<int>(value.size()), SQLITE_TRANSIENT));
}

Transaction::Transaction(Database& database) : database_(&database) {
  database.require_in_place();
  database.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // After some errors SQLite has already rolled back; a failure here cannot be reported.
  if (database_ && database_->in_transaction())
    sqlite3_exec(database_->connection(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_->execute("COMMIT");
  database_ = nullptr;
}

}  // namespace nestwright::sqlite
