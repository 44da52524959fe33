// SQLite's connections, statements and transactions as values that release their resources and throw LogError. Private
// to logs/.
// Thread rule: a connection and the objects that belong to it are used by one thread at a time.
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

#include "nestwright/error.h"

namespace nestwright::sqlite {

class Statement;

struct Finalize {
  void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};
using PreparedStatement = std::unique_ptr<sqlite3_stmt, Finalize>;

/// An error of SQLite, as the LogError that users see, with SQLite's extended result code for callers that can recover.
class Failure : public LogError {
 public:
  Failure(int code, const std::string& message) : LogError(message), code_(code) {}
  int primary_code() const { return code_ & 0xff; }

 private:
  int code_;
};

class Database {
 public:
  /// `flags` are those of sqlite3_open_v2. SQLite opens `open_as` (a file name or URI); messages name `path`.
  Database(const std::string& path, const std::string& open_as, int flags, int busy_timeout_ms);
  const std::string& path() const { return path_; }
  void execute(const std::string& sql);
  /// Compiles `sql`, or reuses an idle statement that was compiled from the same text. Every text is kept as long as
  /// the connection, so pass values as parameters.
  Statement prepare(std::string_view sql) const;
  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
  int changed_rows() const { return sqlite3_changes(connection_.get()); }
  bool in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }
  /// Returns the first column of the first row of a query; 0 if there is no row.
  std::int64_t integer(const std::string& query) const;
  std::int64_t pragma(const std::string& name) const { return integer("PRAGMA " + name); }
  /// From now on every transaction first checks that `file` is still the one that this connection has open. If it was
  /// removed or replaced, everything that was written goes to a new file beside it, and the transaction throws
  /// LogError.
  void watch(const std::string& file);
  /// Makes the check that watch() describes.
  void require_in_place();
  /// Sets the callback for notes to the user that do not stop the work. May be empty.
  void on_note(std::function<void(const std::string&)> callback) { on_note_ = std::move(callback); }
  /// Reports a note, once per text.
  void note(const std::string& text) const {
    if (on_note_ && noted_.insert(text).second) on_note_(text);
  }
  sqlite3* connection() const { return connection_.get(); }
  /// Throws the Failure for SQLite's last result.
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
  mutable StatementCache idle_;  ///< by text; null: in use
  std::string file_;             ///< the watched file; empty: none
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string loss_;  ///< the message that was thrown when the file was found to be gone
  std::function<void(const std::string&)> on_note_;
  mutable std::set<std::string> noted_;
};

/// A prepared statement. Parameters are numbered from 1, columns from 0. The database must outlive it and not be moved
/// meanwhile.
class Statement {
 public:
  /// Use Database::prepare().
  Statement(const Database& database, std::string_view sql);
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) = delete;
  /// Returns the compiled statement to the database.
  ~Statement();

  /// Resets the statement and binds the first parameters.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    sqlite3_reset(statement_.get());
    bound_ = 0;
    return add(values...);
  }
  /// Binds the parameters after those bound so far.
  template <typename... Values>
  Statement& add(const Values&... values) {
    (bind_one(++bound_, values), ...);
    return *this;
  }
  /// Advances to the next row. Returns false if there is none.
  bool step();
  /// Executes the statement to the end.
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
  PreparedStatement* home_;  ///< the place of the idle statement; null: none
  int bound_ = 0;
  PreparedStatement statement_;
};

/// A transaction, begun with BEGIN IMMEDIATE: it waits for other writers now, so that nothing fails halfway. It is
/// rolled back unless committed. Throws as Database::require_in_place does.
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
