#include "logs/upkeep/prune.h"

#include <fmt/format.h>

#include "logs/best.h"
#include "logs/upkeep/existing_log.h"

namespace nestwright {
namespace {

using sqlite::Database;

/// Columns of trial that are emptied, and what their rows have then.
constexpr const char* kEmptied =
    "samples_ns = '[]', raw_ns = '[]', reference_ns = '[]', fma_ns = '[]', walk_ns = '[]', resources = NULL";

/// Their size in bytes; 0 if they are empty.
constexpr const char* kSize =
    "(length(samples_ns) + length(raw_ns) + length(reference_ns) + length(fma_ns) + length(walk_ns) - 10"
    " + coalesce(length(resources), 0))";

std::int64_t file_bytes(const Database& database) {
  return database.pragma("page_count") * database.pragma("page_size");
}

/// Fills temp.whole_trial with the trials of the selected tasks that stay as they are.
void select_whole_trials(Database& database, std::int64_t best) {
  database.execute(R"sql(
CREATE TABLE temp.whole_trial(id INTEGER PRIMARY KEY);
INSERT INTO temp.whole_trial
  SELECT trial_id FROM race_entry
  UNION SELECT winner_trial_id FROM race WHERE winner_trial_id > 0
  UNION SELECT anchor_trial_id FROM session WHERE anchor_trial_id > 0
  UNION SELECT incumbent_trial_id FROM session WHERE incumbent_trial_id > 0
  UNION SELECT trial.id FROM session CROSS JOIN trial ON trial.session_id = session.id
    WHERE session.status = 'running';
)sql");
  constexpr const char* kHasAnchor = "session.rule = 2 AND session.anchor_ns > 0";
  database
      .prepare(fmt::format(
          "INSERT OR IGNORE INTO temp.whole_trial SELECT id FROM ("
          " SELECT trial.id, row_number() OVER ("
          "  PARTITION BY session.task_id, iif({0}, session.anchor_trial_id, -session.id)"
          "  ORDER BY NOT ({1}), trial.median_ns / iif({0}, session.anchor_ns, 1), trial.id) AS place"
          " FROM session CROSS JOIN trial ON trial.session_id = session.id"
          " WHERE session.task_id IN (SELECT id FROM temp.selected_task) AND trial.same_as_trial_id IS NULL AND {2})"
          " WHERE place <= ?",
          kHasAnchor, is_sound("trial"), is_timed("trial")))
      .bind(best)
      .run();
}

}  // namespace

PruneResult prune_log(const std::string& path, const PruneFilter& filter, bool is_dry, const OpenOptions& options) {
  Database database = open_existing_log(path, is_dry, options);
  PruneResult result;
  result.bytes_before = result.bytes_after = file_bytes(database);
  {
    sqlite::Transaction transaction(database);
    select_tasks(database, filter.tasks);
    result.trials =
        database.integer("SELECT coalesce(sum(trials), 0) FROM task WHERE id IN (SELECT id FROM temp.selected_task)");
    select_whole_trials(database, filter.best);
    database.execute(fmt::format(
        "CREATE TABLE temp.emptied_trial(id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);"
        "INSERT INTO temp.emptied_trial SELECT trial.id, {0} FROM session CROSS JOIN trial ON trial.session_id = "
        "session.id WHERE session.task_id IN (SELECT id FROM temp.selected_task) AND {0} > 0"
        " AND trial.id NOT IN (SELECT id FROM temp.whole_trial)",
        kSize));
    result.emptied = database.integer("SELECT count(*) FROM temp.emptied_trial");
    result.bytes = database.integer("SELECT coalesce(sum(bytes), 0) FROM temp.emptied_trial");
    if (is_dry || result.emptied == 0) return result;
    database.execute(fmt::format("UPDATE trial SET {} WHERE id IN (SELECT id FROM temp.emptied_trial)", kEmptied));
    transaction.commit();
  }
  database.execute("VACUUM");
  result.bytes_after = file_bytes(database);
  return result;
}

}  // namespace nestwright
