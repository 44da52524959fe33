#include "logs/open_log.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>

#include "logs/schema.h"
#include "logs/session_locks.h"
#include "logs/sqlite/copy.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

namespace fs = std::filesystem;
using sqlite::Database;
using sqlite::Failure;

enum class Content { kNothing, kLog };

int newest_version() { return log_migrations().back().to_version; }

std::uintmax_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

/// A read transaction, so that all reads see the same state while another process may be creating the file.
class Snapshot {
 public:
  explicit Snapshot(Database& database) : database_(database) { database.execute("BEGIN"); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() { sqlite3_exec(database_.connection(), "ROLLBACK", nullptr, nullptr, nullptr); }

 private:
  Database& database_;
};

/// Throws if the file belongs to another program or is newer than this one.
Content inspect(Database& database) {
  const Snapshot snapshot(database);
  const std::int64_t id = database.pragma("application_id");
  if (id == 0 && database.pragma("user_version") == 0) {
    sqlite::Statement tables = database.prepare("SELECT count(*) FROM sqlite_schema");
    // Its creator was killed before its first transaction.
    if (tables.step() && tables.integer(0) == 0) return Content::kNothing;
  }
  if (id != kLogApplicationId) {
    throw LogError(
        fmt::format("database '{}' belongs to another program and was left as it is: give another file with --db",
                    database.path()));
  }
  refuse_newer_schema(database, newest_version());
  return Content::kLog;
}

/// Checks the whole file for damage, without writing to it.
void require_sound(const Database& database) {
  sqlite::Statement check = database.prepare("PRAGMA quick_check(1)");
  if (check.step() && check.text(0) != "ok") {
    throw LogError(
        fmt::format("database '{}' is damaged ({}) and was left as it is: restore a copy, save what can be read with "
                    "'nestwright log repair', or give another file with --db",
                    database.path(), check.text(0)));
  }
}

/// Whether the last writer died: a writer that ends normally leaves no write-ahead log, and one that is still writing
/// holds a session.
bool was_left_open(const std::string& file) { return size_of(file + "-wal") > 0 && !SessionLocks(file).is_any_held(); }

/// Whether only a writing connection can open the file, because a writer died while creating it.
bool needs_writing_connection(const Failure& failure) {
  return failure.primary_code() == SQLITE_CANTOPEN || failure.primary_code() == SQLITE_READONLY;
}

void switch_to_wal(Database& database, int busy_timeout_ms) {
  // SQLite does not call its busy handler for this pragma.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_timeout_ms);
  for (;;) {
    try {
      sqlite::Statement statement = database.prepare("PRAGMA journal_mode = WAL");
      statement.run();
      return;
    } catch (const Failure& failure) {
      if (failure.primary_code() != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Keeps a copy of the file before its schema is migrated.
void keep_older_copy(Database& database, const std::string& file) {
  const Snapshot unchanged(database);  // another process may migrate it meanwhile
  const std::int64_t version = database.pragma("user_version");
  if (version == 0 || version >= newest_version()) return;
  const std::string copy = fmt::format("{}-version-{}", file, version);
  sqlite::replace_by_copy(database, copy);
  database.note(
      fmt::format("database '{}' has schema version {} and is brought up to {}: a copy of it as it was is '{}'",
                  database.path(), version, newest_version(), copy));
}

/// Absent if the file cannot be read.
std::optional<bool> begins_as_sqlite(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::ifstream file(path, std::ios::binary);
  std::array<char, 16> start{};
  file.read(start.data(), start.size());
  if (!file && !file.eof()) return std::nullopt;
  return std::string_view(start.data(), start.size()) == kMagic;
}

Database open_for_writing(const std::string& path, const std::string& file, const OpenOptions& options) {
  if (size_of(file) > 0) {
    require_log_file(path);
    try {
      Database probe(path, file, SQLITE_OPEN_READONLY, options.busy_timeout_ms);
      const bool is_small = size_of(file) <= static_cast<std::uintmax_t>(options.small_bytes);
      const bool is_log = inspect(probe) == Content::kLog;
      if (is_log && (options.check || is_small || was_left_open(file))) require_sound(probe);
    } catch (const Failure& failure) {
      if (!needs_writing_connection(failure)) throw;
    }
  }
  Database database(path, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, options.busy_timeout_ms);
  if (sqlite3_db_readonly(database.connection(), "main") == 1) database.fail(SQLITE_READONLY);
  inspect(database);
  switch_to_wal(database, options.busy_timeout_ms);
  database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (options.max_bytes > 0) {
    database.execute(fmt::format("PRAGMA max_page_count = {}", options.max_bytes / database.pragma("page_size")));
  }
  database.on_note(options.on_note);
  keep_older_copy(database, file);
  migrate(database, log_migrations());
  database.watch(file);
  return database;
}

Database open_for_reading(const std::string& path, const std::string& file, const OpenOptions& options) {
  std::error_code error;
  const bool exists = fs::exists(file, error);
  if (error) {
    throw LogError(
        fmt::format("database '{}' cannot be reached ({}): give another file with --db", path, error.message()));
  }
  if (!exists) {
    throw LogError(
        fmt::format("database '{}' does not exist: run 'nestwright tune' first, or give another file with --db", path));
  }
  const auto refuse_empty = [&] {
    throw LogError(
        fmt::format("database '{}' is empty: run 'nestwright tune' first, or give another file with --db", path));
  };
  if (size_of(file) == 0) refuse_empty();
  require_log_file(path);
  const auto use = [&](Database database) {
    if (inspect(database) == Content::kNothing) refuse_empty();
    if (database.pragma("user_version") < newest_version()) {
      database = sqlite::private_copy(database);
      migrate(database, log_migrations());
    }
    if (options.check) require_sound(database);
    database.on_note(options.on_note);
    database.execute("PRAGMA query_only = ON");
    return database;
  };
  try {
    // Opened for writing if possible, so that the last connection to close removes WAL's files beside the database.
    return use(Database(path, file, SQLITE_OPEN_READWRITE, options.busy_timeout_ms));
  } catch (const Failure& failure) {
    // A WAL with content must be read together with the file, which requires that its index can be written.
    if (!needs_writing_connection(failure) || size_of(file + "-wal") > 0) throw;
  }
  // WAL needs a file beside the database, unless SQLite is told that there are no writers.
  return use(
      Database(path, file_uri(file, "immutable=1"), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, options.busy_timeout_ms));
}

}  // namespace

std::string real_file(const std::string& path) {
  std::error_code error;
  const fs::path file = fs::weakly_canonical(path, error);
  return (error ? fs::absolute(path) : fs::absolute(file)).string();
}

std::string file_uri(const std::string& file, const std::string& parameters) {
  std::string uri = "file:";
  for (const char c : file) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?" + parameters;
}

bool is_sqlite_file(const std::string& path) { return begins_as_sqlite(path).value_or(false); }

void require_log_file(const std::string& path) {
  const std::optional<bool> is_sqlite = begins_as_sqlite(path);
  if (!is_sqlite) {
    throw LogError(
        fmt::format("database '{}' cannot be read: check its permissions, or give another file with --db", path));
  }
  if (!*is_sqlite) {
    throw LogError(fmt::format(
        "file '{}' is not a database of nestwright and was left as it is: give another file with --db", path));
  }
}

Database open_log(const std::string& path, OpenMode mode, const OpenOptions& options) {
  if (path.empty()) throw LogError("no database file was named: give one with --db");
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw LogError(fmt::format("'{}' is a folder, not a database: give a file with --db", path));
  }
  const std::string file = real_file(path);
  return mode == OpenMode::kRead ? open_for_reading(path, file, options) : open_for_writing(path, file, options);
}

}  // namespace nestwright
