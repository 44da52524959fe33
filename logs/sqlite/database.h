// SQLite's connection, statement and transaction as values that clean up after themselves and throw LogError. Private
// to logs/. Thread rule: a connection and what belongs to it are used by one thread at a time.
#pragma once

#include <sqlite3.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "support/error.h"

namespace nestwright::sqlite {

class Statement;

struct Finalize {
  void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};
using PreparedStatement = std::unique_ptr<sqlite3_stmt, Finalize>;

/// What SQLite answered, as the LogError that users read, with SQLite's extended result code for those who can go on.
class Failure : public LogError {
 public:
  Failure(int code, const std::string& message) : LogError(message), code_(code) {}
  int primary_code() const { return code_ & 0xff; }

 private:
  int code_;
};

class Database {
 public:
  /// `flags` as for sqlite3_open_v2. `open_as` (a file name or URI) is what SQLite opens; messages name `path`.
  Database(const std::string& path, const std::string& open_as, int flags, int busy_timeout_ms);
  const std::string& path() const { return path_; }
  void execute(const std::string& sql);
  /// Compiles `sql`, or reuses what was compiled for the same text before and is not in use. Every text is kept for as
  /// long as the connection, so values belong into parameters.
  Statement prepare(std::string_view sql) const;
  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
  int changed_rows() const { return sqlite3_changes(connection_.get()); }
  bool in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }
  std::int64_t pragma(const std::string& name) const;
  /// Every transaction from now on makes sure first that `file` is still what this connection has open. Where it was
  /// removed or replaced, all that was written goes to a new file beside it, and the transaction throws LogError.
  void watch(const std::string& file);
  /// What watch() says.
  void require_in_place();
  /// Told what a user should know though the work goes on. May be empty.
  void on_note(std::function<void(const std::string&)> tell) { tell_ = std::move(tell); }
  /// Tells it, once.
  void note(const std::string& text) const {
    if (tell_ && noted_.insert(text).second) tell_(text);
  }
  sqlite3* connection() const { return connection_.get(); }
  /// Throws the Failure for what SQLite just answered.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* c) const { sqlite3_close_v2(c); }
  };
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using StatementCache = std::unordered_map<std::string, PreparedStatement, TextHash, std::equal_to<>>;
  std::string path_;
  int busy_timeout_ms_;
  std::unique_ptr<sqlite3, Close> connection_;
  mutable StatementCache idle_;  ///< by their text; null: in use
  std::string file_;             ///< that is watched; empty: none is
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string loss_;  ///< what was thrown when the file was found to be gone
  std::function<void(const std::string&)> tell_;
  mutable std::set<std::string> noted_;
};

/// Parameters are numbered from 1, columns from 0. Must not outlive its database, which must stay where it is
/// meanwhile.
class Statement {
 public:
  /// Is what Database::prepare() returns.
  Statement(const Database& database, std::string_view sql);
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) = delete;
  /// Gives the compiled statement back to the database.
  ~Statement();

  /// Starts over with these as the first parameters.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    sqlite3_reset(statement_.get());
    bound_ = 0;
    return add(values...);
  }
  /// The parameters after those bound so far.
  template <typename... Values>
  Statement& add(const Values&... values) {
    (bind_one(++bound_, values), ...);
    return *this;
  }
  /// True while there is a row to read.
  bool step();
  /// Runs to the end.
  void run() {
    while (step()) {
    }
  }

  bool is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  std::string text(int column) const;

 private:
  void bind_one(int index, std::int64_t value) { accept(sqlite3_bind_int64(statement_.get(), index, value)); }
  void bind_one(int index, int value) { bind_one(index, std::int64_t{value}); }
  void bind_one(int index, bool value) { bind_one(index, std::int64_t{value}); }
  void bind_one(int index, double value) { accept(sqlite3_bind_double(statement_.get(), index, value)); }
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }
  void bind_one(int index, const char* value) { bind_one(index, std::string_view(value)); }
  template <typename T>
  void bind_one(int index, const std::optional<T>& value) {
    value ? bind_one(index, *value) : accept(sqlite3_bind_null(statement_.get(), index));
  }
  void accept(int code) const {
    if (code != SQLITE_OK) database_->fail(code);
  }

  const Database* database_;
  PreparedStatement* home_;  ///< where it is kept while it is not in use; nullptr: nowhere
  int bound_ = 0;
  PreparedStatement statement_;
};

/// BEGIN IMMEDIATE: waits for other writers now, so that nothing fails half-way. Rolled back unless committed. Throws
/// as Database::require_in_place does.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database* database_;
};

}  // namespace nestwright::sqlite
