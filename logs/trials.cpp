// TuningLog's queries for recorded trials.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "logs/best.h"
#include "logs/encode.h"
#include "logs/read_or_note.h"
#include "logs/state.h"
#include "logs/task.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;

/// The most sessions whose fastest trials a history contains, and the most anchors, incumbents and winners; the latest
/// ones count.
constexpr std::int64_t kMaxSessions = 8, kMaxLinks = 64;

/// The trials of the latest sessions, which a merged database may have numbered before those of others. An index
/// answers which trials a session has.
constexpr const char* kLatestIds =
    "SELECT recorded.id FROM session AS source JOIN trial AS recorded ON recorded.session_id = source.id"
    " WHERE source.task_id = ? ORDER BY source.started_at DESC, source.id DESC, recorded.id DESC LIMIT ?";

/// The columns before those of point and measurement.
constexpr int kOwnColumns = 20;

/// Selects every trial for which `where` (which may name :task, :templates and :limit) holds.
std::string select_trials(const std::string& where, Readings readings = Readings::kAll) {
  return fmt::format(
      "SELECT trial.id, trial.session_id, batch.number, proposal.position, trial.compile_ms, trial.check_ms, "
      "trial.measure_ms, trial.code, trial.same_as_trial_id, trial.device_clock_mhz, trial.device_temperature_c,"
      " trial.resources, unit.id, unit.rule, unit.anchor_trial_id, unit.anchor_ns, unit.code_generator, unit.plugins,"
      " trial.part_ratio, proposal.origin,"
      " {}, {} FROM trial JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id"
      " JOIN batch ON batch.id = proposal.batch_id JOIN session ON session.id = trial.session_id"
      " JOIN trial AS measured ON measured.id = coalesce(trial.same_as_trial_id, trial.id)"
      " JOIN session AS unit ON unit.id = measured.session_id WHERE {}",
      kPointColumns, measurement_columns("trial", readings), where);
}

TrialRecord read_trial(const Statement& row, const WorkloadKey& workload) {
  TrialRecord trial;
  trial.id = row.integer(0);
  trial.session = row.integer(1);
  trial.batch = static_cast<int>(row.integer(2));
  trial.position = static_cast<int>(row.integer(3));
  trial.workload = workload.text;
  trial.parameters = workload.parameters;
  trial.code = {row.is_null(7) ? "" : row.text(7), row.is_null(8) ? 0 : row.integer(8)};
  trial.point = read_point(row, kOwnColumns);
  trial.origin = row.text(19);
  trial.measurement = read_measurement(row, kOwnColumns + kPointColumnCount);
  trial.measurement.compile_ms = row.real(4);
  trial.measurement.check_ms = row.real(5);
  trial.measurement.measure_ms = row.real(6);
  trial.measurement.device_clock_mhz = row.is_null(9) ? 0 : row.real(9);
  trial.measurement.device_temperature_c = row.is_null(10) ? 0 : row.real(10);
  trial.measurement.timing.part_ratio = row.is_null(18) ? 0 : row.real(18);
  if (!row.is_null(11)) trial.measurement.resources = decode_resources(row.text(11));
  trial.unit = {row.integer(12), static_cast<ScoringRule>(row.integer(13)),
                row.integer(14), row.real(15),
                row.text(16),    decode_texts(row.text(17))};
  return trial;
}

/// Adds the current row of `select`, if it can be read.
void add_trial(const Database& database, const Statement& select, const WorkloadKey& workload,
               std::vector<TrialRecord>& trials) {
  auto trial = read_or_note(database, "trial", select.integer(0), [&] { return read_trial(select, workload); });
  if (trial) trials.push_back(std::move(*trial));
}

/// Returns the trials that exist and can be read, in the order of `ids`. `select` finds one by its id.
std::vector<TrialRecord> trials_by_id(const Database& database, const std::string& select, const WorkloadKey& workload,
                                      std::span<const TrialId> ids) {
  Statement statement = database.prepare(select);
  std::vector<TrialRecord> trials;
  for (const TrialId id : ids) {
    statement.bind(id);
    if (statement.step()) add_trial(database, statement, workload, trials);
  }
  return trials;
}

}  // namespace

int TuningLog::next_batch_number(const TaskKey& task) const {
  const auto stored = stored_task(state_->database, task);
  if (!stored) return 0;
  Statement select = state_->database.prepare(
      "SELECT coalesce(max((SELECT max(number) FROM batch WHERE session_id = session.id)) + 1, 0) FROM session"
      " WHERE task_id = ?");
  select.bind(stored->id).step();
  return static_cast<int>(select.integer(0));
}

TaskTotals TuningLog::totals(const TaskKey& task) const {
  const auto stored = stored_task(state_->database, task);
  return stored ? stored->totals : TaskTotals();
}

bool TuningLog::has_right_trial(const TaskKey& task) const {
  const auto stored = stored_task(state_->database, task);
  if (!stored) return false;
  Statement select = state_->database.prepare(
      "SELECT EXISTS (SELECT 1 FROM session JOIN trial ON trial.session_id = session.id"
      " WHERE session.task_id = ? AND trial.outcome = ?)");
  select.bind(stored->id, static_cast<std::int64_t>(Outcome::kOk)).step();
  return select.integer(0) != 0;
}

std::vector<TrialRecord> TuningLog::trials(const TaskFilter& filter, std::int64_t limit) const {
  std::vector<TrialRecord> trials;
  // Sorts ids, not rows.
  static const std::string kSelect = select_trials(fmt::format("trial.id IN ({}) ORDER BY trial.id DESC", kLatestIds));
  Statement select = state_->database.prepare(kSelect);
  for (const StoredTask& task : matching_tasks(state_->database, filter)) {
    select.bind(task.id, limit > 0 ? limit : std::int64_t{-1});
    while (select.step()) add_trial(state_->database, select, task.key.workload, trials);
  }
  std::sort(trials.begin(), trials.end(), [](const TrialRecord& a, const TrialRecord& b) { return a.id < b.id; });
  if (limit > 0 && trials.size() > static_cast<std::size_t>(limit)) trials.erase(trials.begin(), trials.end() - limit);
  return trials;
}

std::vector<TrialRecord> TuningLog::trials_after(const TaskKey& task, TrialId after, SessionId except) const {
  const auto stored = stored_task(state_->database, task);
  if (!stored) return {};
  // The plus keeps SQLite from scanning all trials of the task's sessions: new ones are found by their ids.
  Statement select = state_->database.prepare(select_trials(
      "trial.id > :after AND +session.task_id = :task AND trial.session_id <> :except ORDER BY trial.id"));
  select.bind(after, stored->id, except);
  std::vector<TrialRecord> trials;
  while (select.step()) add_trial(state_->database, select, stored->key.workload, trials);
  return trials;
}

std::vector<TrialRecord> TuningLog::history(const TaskKey& task, std::int64_t latest, std::int64_t fastest) const {
  const Database& database = state_->database;
  const auto stored = stored_task(database, task);
  if (!stored) return {};
  std::set<TrialId> chosen;
  const auto choose = [&](std::string_view ids, std::int64_t of, std::int64_t limit) {
    Statement select = database.prepare(ids);
    select.bind(of, limit);
    while (select.step()) chosen.insert(select.integer(0));
  };
  choose(kLatestIds, stored->id, latest);
  if (static_cast<std::int64_t>(chosen.size()) == latest) {
    for (const char* column : {"anchor_trial_id", "incumbent_trial_id"}) {
      choose(
          fmt::format(
              "SELECT {0} FROM session WHERE task_id = ? AND {0} IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT ?",
              column),
          stored->id, kMaxLinks);
    }
    choose(
        "SELECT winner_trial_id FROM race WHERE task_id = ? AND winner_trial_id IS NOT NULL ORDER BY recorded_at DESC, "
        "id DESC LIMIT ?",
        stored->id, kMaxLinks);
    // A session that raced the stored best again has none.
    Statement sessions = database.prepare(
        "SELECT id FROM session WHERE task_id = ? AND EXISTS (SELECT 1 FROM trial WHERE session_id = session.id)"
        " ORDER BY started_at DESC, id DESC LIMIT ?");
    sessions.bind(stored->id, kMaxSessions);
    while (sessions.step()) {
      choose("SELECT id FROM trial WHERE session_id = ? AND median_ns > 0 ORDER BY median_ns LIMIT ?",
             sessions.integer(0), fastest);
    }
  }
  static const std::string kSelect = select_trials("trial.id = ?");
  return trials_by_id(database, kSelect, stored->key.workload, std::vector<TrialId>(chosen.begin(), chosen.end()));
}

std::vector<TrialRecord> TuningLog::trials_of(const RelatedTask& task, std::span<const TrialId> ids) const {
  static const std::string kSelect = select_trials("trial.id = ?", Readings::kNone);
  return trials_by_id(state_->database, kSelect, task.workload, ids);
}

std::vector<TrialRecord> TuningLog::challengers(const TaskKey& task, int per_session,
                                                const std::vector<TemplateVersion>& templates) const {
  const auto stored = stored_task(state_->database, task);
  if (!stored) return {};
  Statement select = state_->database.prepare(select_trials(fmt::format(
      "session.task_id = :task AND session.status <> 'running' AND {} AND {}"
      " AND session.id NOT IN (SELECT raced.session_id FROM race"
      "  JOIN race_entry ON race_entry.race_id = race.id JOIN trial AS raced ON raced.id = race_entry.trial_id"
      "  WHERE race.task_id = :task AND race.disturbance = '')"
      " ORDER BY trial.session_id, trial.id IS NOT session.incumbent_trial_id, trial.median_ns",
      kTemplateMatches, is_sound_trial())));
  select.bind(stored->id, encode_templates(templates));
  std::vector<TrialRecord> trials;
  int taken = 0;
  while (select.step()) {
    const SessionId session = select.integer(1);
    if (trials.empty() || trials.back().session != session) taken = 0;
    if (taken++ < per_session) add_trial(state_->database, select, stored->key.workload, trials);
  }
  // A race that was held without a plugin did not compare its winner with that of an earlier one.
  Statement unmatched = state_->database.prepare(select_trials(
      fmt::format("session.task_id = :task AND {} AND {} AND trial.id IN (SELECT race.winner_trial_id FROM race"
                  "  WHERE race.task_id = :task AND race.disturbance = ''"
                  "  AND EXISTS (SELECT 1 FROM race AS later WHERE later.task_id = :task AND later.disturbance = ''"
                  "   AND (later.recorded_at, later.id) > (race.recorded_at, race.id))"
                  "  AND NOT EXISTS (SELECT 1 FROM race AS later JOIN race_entry ON race_entry.race_id = later.id"
                  "   WHERE later.task_id = :task AND later.disturbance = ''"
                  "   AND (later.recorded_at, later.id) > (race.recorded_at, race.id)"
                  "   AND race_entry.trial_id = race.winner_trial_id)) ORDER BY trial.id",
                  kTemplateMatches, is_sound_trial())));
  unmatched.bind(stored->id, encode_templates(templates));
  while (unmatched.step()) add_trial(state_->database, unmatched, stored->key.workload, trials);
  return trials;
}

std::optional<TrialId> TuningLog::trial_of(const TaskKey& task, const Point& point) const {
  const auto stored = stored_task(state_->database, task);
  if (!stored) return std::nullopt;
  sqlite::Statement select = state_->database.prepare(
      "SELECT trial.id FROM space JOIN proposal ON proposal.space_id = space.id"
      " JOIN trial ON trial.proposal_id = proposal.id"
      " WHERE space.task_id = ? AND space.template = ? AND space.template_version = ? AND proposal.config = ?");
  select.bind(stored->id, point.template_name, point.version, point.config.str());
  return select.step() ? std::optional(select.integer(0)) : std::nullopt;
}

}  // namespace nestwright
