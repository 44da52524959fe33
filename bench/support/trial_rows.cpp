#include "bench/support/trial_rows.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
    connection_.reset(opened);
    if (code != SQLITE_OK) fail();
    sqlite3_busy_timeout(opened, 10'000);
  }

  void each(const char* sql, const std::function<void(sqlite3_stmt*)>& row) const {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(connection_.get(), sql, -1, &prepared, nullptr) != SQLITE_OK) fail();
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) row(prepared);
    if (code != SQLITE_DONE) fail();
  }

  std::int64_t number(const char* sql) const {
    std::int64_t value = 0;
    each(sql, [&](sqlite3_stmt* row) { value = sqlite3_column_int64(row, 0); });
    return value;
  }

  bool has_tables() const { return number("SELECT count(*) FROM sqlite_schema WHERE name = 'trial'") == 1; }

 private:
  [[noreturn]] void fail() const { throw Error(fmt::format("{}: {}", path_, sqlite3_errmsg(connection_.get()))); }

  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> connection_;
};

std::string text(sqlite3_stmt* row, int column) {
  const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  return value == nullptr ? "" : value;
}

}  // namespace

std::map<std::int64_t, TrialRow> read_trials(const std::string& database) {
  std::map<std::int64_t, TrialRow> trials;
  if (!std::filesystem::exists(database)) return trials;
  const Reader reader(database);
  if (!reader.has_tables()) return trials;
  reader.each(
      "SELECT id, (julianday(recorded_at) - 2440587.5) * 86400.0, median_ns, outcome = 0 AND verified AND NOT "
      "ended_early AND disturbance = '' AND same_as_trial_id IS NULL,"
      " json_array(proposal_id, session_id, outcome, message, samples_ns, raw_ns, compile_ms, recorded_at) FROM trial",
      [&](sqlite3_stmt* row) {
        trials[sqlite3_column_int64(row, 0)] = {sqlite3_column_double(row, 1), sqlite3_column_double(row, 2),
                                                sqlite3_column_int(row, 3) != 0, text(row, 4)};
      });
  return trials;
}

std::vector<std::string> damage(const std::string& database) {
  std::vector<std::string> found;
  if (!std::filesystem::exists(database)) return found;
  const Reader reader(database);
  reader.each("PRAGMA integrity_check", [&](sqlite3_stmt* row) {
    if (text(row, 0) != "ok") found.push_back("integrity check: " + text(row, 0));
  });
  reader.each("PRAGMA foreign_key_check", [&](sqlite3_stmt* row) {
    found.push_back("a row of " + text(row, 0) + " refers to none of " + text(row, 2));
  });
  if (!reader.has_tables()) return found;
  const std::int64_t twice = reader.number(
      "SELECT count(*) FROM (SELECT 1 FROM trial JOIN proposal ON proposal.id = trial.proposal_id"
      " GROUP BY proposal.space_id, proposal.config HAVING count(*) > 1)");
  if (twice > 0) found.push_back(fmt::format("{} configurations were measured twice", twice));
  return found;
}

std::int64_t unfinished_proposals(const std::string& database) {
  return Reader(database).number(
      "SELECT count(*) FROM proposal JOIN batch ON batch.id = proposal.batch_id"
      " LEFT JOIN trial ON trial.proposal_id = proposal.id"
      " WHERE trial.id IS NULL AND batch.session_id < (SELECT max(id) FROM session)");
}

}  // namespace nestwright::bench
