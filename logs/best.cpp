// Finds the best records: the chain of races, and its substitutes for a task without a race.
#include "logs/best.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "logs/encode.h"
#include "logs/read_or_note.h"
#include "logs/state.h"
#include "measure/race/quiet_estimate.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;

// Races and sessions are ordered by their times, and those of equal times by their numbers: a merge numbers those of
// the other database after those that are there.

/// Returns SQL that is true if the row of `trial` failed in an undisturbed race for which `which` holds.
std::string failed_in_race(const std::string& which) {
  return fmt::format(
      "EXISTS (SELECT 1 FROM race_entry AS failed JOIN race AS later ON later.id = failed.race_id"
      " WHERE failed.trial_id = trial.id AND failed.outcome <> 0 AND later.disturbance = '' AND {})",
      which);
}

constexpr const char* kFromProposal =
    "JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id";

/// The columns before those of point and measurement.
constexpr int kOwnColumns = 16;

/// The drift of the session, after the fields of RecordProvenance in order.
constexpr const char* kMadeByColumns =
    "session.code_generator, session.kernel, session.microcode, session.huge_pages, session.plugins, session.drift";

/// The races that count, and their entries that may be best.
std::string is_sound_entry() { return "race.disturbance = '' AND " + is_sound("race_entry"); }

/// Selects entries of races for which `fit` holds and whose trial has not failed in a later, undisturbed race.
std::string select_race_entries(const std::string& fit, const std::string& where) {
  return fmt::format(
      "SELECT race_entry.trial_id, race.session_id, race.recorded_at, race.pipeline, session.rule,"
      " race.winner_trial_id = race_entry.trial_id, race_entry.tied, race_entry.role = '{}',"
      " (SELECT count(*) FROM race_entry AS tie WHERE tie.race_id = race.id AND tie.tied"
      "  AND tie.trial_id <> race_entry.trial_id),"
      " race_entry.process_medians_ns, {}, {}, {}"
      " FROM race_entry JOIN race ON race.id = race_entry.race_id JOIN trial ON trial.id = race_entry.trial_id"
      " JOIN session ON session.id = race.session_id {} WHERE {} AND NOT {} AND {}",
      kIncumbentRole, kMadeByColumns, kPointColumns, measurement_columns("race_entry", Readings::kScores),
      kFromProposal, fit, failed_in_race("(later.recorded_at, later.id) > (race.recorded_at, race.id)"), where);
}

std::string select_any_trials(const std::string& where, Readings readings = Readings::kScores) {
  return fmt::format(
      "SELECT trial.id, trial.session_id, trial.recorded_at, task.pipeline, session.rule, 0, 0, 0, 0, '[]', {}, {}, {}"
      " FROM trial {} JOIN session ON session.id = trial.session_id JOIN task ON task.id = session.task_id WHERE {}",
      kMadeByColumns, kPointColumns, measurement_columns("trial", readings), kFromProposal, where);
}

std::string select_trials(const std::string& where, Readings readings = Readings::kScores) {
  return select_any_trials(fmt::format("{} AND {}", is_sound_trial(), where), readings);
}

BestRecord read_best(const Statement& row, const StoredTask& task, BestSource source) {
  BestRecord best;
  best.task = task.key;
  best.trial = row.integer(0);
  best.session = row.integer(1);
  best.recorded_at = row.text(2);
  best.pipeline = static_cast<Pipeline>(row.integer(3));
  best.source = source;
  best.by_old_rule = row.integer(4) != static_cast<int>(ScoringRule::kPaired);
  const bool won = row.integer(5) != 0;
  best.tied = row.integer(6) != 0;
  best.kept = won && row.integer(7) != 0;
  best.ties = won ? static_cast<int>(row.integer(8)) : 0;
  best.process_medians_ns = decode_numbers(row.text(9));
  best.made_by = {row.text(10), row.text(11), row.text(12), row.text(13), decode_texts(row.text(14))};
  best.drift = row.real(15);
  best.point = read_point(row, kOwnColumns);
  const Measurement measurement = read_measurement(row, kOwnColumns + kPointColumnCount);
  best.timing = measurement.timing;
  best.evidence = measurement.evidence;
  best.trials = task.totals.trials;
  return best;
}

/// Reads the current row of `select`, if it can be read.
std::optional<BestRecord> read_row(const Statement& select, const Database& database, const StoredTask& task,
                                   BestSource source) {
  return read_or_note(database, source == BestSource::kRace ? "race_entry (column trial_id)" : "trial",
                      select.integer(0), [&] { return read_best(select, task, source); });
}

/// Reads the first row of `select` that can be read.
std::optional<BestRecord> read_first(Statement& select, const Database& database, const StoredTask& task,
                                     BestSource source) {
  while (select.step()) {
    if (auto record = read_row(select, database, task, source)) return record;
  }
  return std::nullopt;
}

// The texts of the statements for one query are made once, because making them takes longer than running them.

std::optional<BestRecord> last_winner(const Database& database, const StoredTask& task, const std::string& templates) {
  static const std::string kSelect = select_race_entries(
      is_sound_entry(), fmt::format("race.task_id = :task AND race.winner_trial_id = race_entry.trial_id AND {}"
                                    " ORDER BY race.recorded_at DESC, race.id DESC",
                                    kTemplateMatches));
  Statement select = database.prepare(kSelect);
  return read_first(select.bind(task.id, templates), database, task, BestSource::kRace);
}

/// Returns the confirmed incumbent of the latest session of the task if it is sound; those of sessions that stayed
/// within a restriction come last. With `own`, only other sessions that have ended count; with 0, all do.
std::optional<BestRecord> last_confirmed(const Database& database, const StoredTask& task, const std::string& templates,
                                         SessionId own) {
  static const std::string kSelect =
      select_trials(fmt::format("trial.id = :trial AND {}", kTemplateMatches), Readings::kAll);
  Statement confirmed = database.prepare(
      "SELECT incumbent_trial_id FROM session WHERE task_id = :task AND incumbent_trial_id IS NOT NULL"
      " AND (:own = 0 OR (id <> :own AND status <> 'running')) ORDER BY options <> '{}', started_at DESC, id DESC");
  Statement select = database.prepare(kSelect);
  confirmed.bind(task.id, own);
  while (confirmed.step()) {
    select.bind(confirmed.integer(0), templates);
    if (auto best = read_first(select, database, task, BestSource::kConfirmed)) return best;
  }
  return std::nullopt;
}

/// Returns the winner of the last race that was disturbed.
std::optional<BestRecord> last_disturbed_winner(const Database& database, const StoredTask& task,
                                                const std::string& templates) {
  static const std::string kSelect =
      select_race_entries("race.disturbance <> '' AND " + is_timed("race_entry"),
                          fmt::format("race.task_id = :task AND race.winner_trial_id = race_entry.trial_id AND {} "
                                      "ORDER BY race.recorded_at DESC, race.id DESC",
                                      kTemplateMatches));
  Statement select = database.prepare(kSelect);
  return read_first(select.bind(task.id, templates), database, task, BestSource::kDisturbed);
}

/// Tells whether a session of the task is anchored to the trial, which is that of the untuned default then.
bool is_anchor(const Database& database, const StoredTask& task, TrialId trial) {
  return database.prepare("SELECT 1 FROM session WHERE task_id = ? AND anchor_trial_id = ?")
      .bind(task.id, trial)
      .step();
}

/// Returns the fastest sound trial of the session of `anchor` whose interval lies below that of the anchor: the time
/// was over before it could be confirmed.
std::optional<BestRecord> clearly_faster(const Database& database, const StoredTask& task, const std::string& templates,
                                         const BestRecord& anchor) {
  static const std::string kSelect = select_trials(
      fmt::format("trial.session_id = :session AND trial.high_ns < :low AND trial.median_ns < trial.high_ns AND {}"
                  " ORDER BY trial.median_ns, trial.id LIMIT 1",
                  kTemplateMatches),
      Readings::kAll);
  Statement select = database.prepare(kSelect);
  return read_first(select.bind(anchor.session, anchor.timing.low_ns, templates), database, task,
                    BestSource::kUnconfirmed);
}

/// Returns the fastest trial of the latest session that has a timed one, disturbed or not.
std::optional<BestRecord> fastest_of_latest(const Database& database, const StoredTask& task,
                                            const std::string& templates) {
  static const std::string kSelect = select_any_trials(
      fmt::format("trial.session_id = :session AND {} AND trial.same_as_trial_id IS NULL AND NOT {} AND {}"
                  " ORDER BY trial.median_ns, trial.id",
                  is_timed("trial"), failed_in_race("1"), kTemplateMatches));
  Statement sessions =
      database.prepare("SELECT id FROM session WHERE task_id = :task ORDER BY started_at DESC, id DESC");
  Statement select = database.prepare(kSelect);
  sessions.bind(task.id);
  while (sessions.step()) {
    select.bind(sessions.integer(0), templates);
    if (auto best = read_first(select, database, task, BestSource::kDisturbed)) return best;
  }
  return std::nullopt;
}

/// Returns the answer of a task in which nothing was confirmed: the winner of the last race, which was disturbed; if
/// there is none, the fastest trial of the latest session.
std::optional<BestRecord> last_resort(const Database& database, const StoredTask& task, const std::string& templates) {
  if (auto winner = last_disturbed_winner(database, task, templates)) return winner;
  std::optional<BestRecord> best = fastest_of_latest(database, task, templates);
  // A session that was killed may have a sound trial without having confirmed it.
  if (best && !best->timing.is_disturbed()) best->source = BestSource::kUnconfirmed;
  return best;
}

bool began_before(const Database& database, SessionId session, SessionId other) {
  Statement select = database.prepare(
      "SELECT 1 FROM session, session AS other WHERE session.id = ? AND other.id = ?"
      " AND (session.started_at, session.id) < (other.started_at, other.id)");
  return select.bind(session, other).step();
}

/// Returns the session of the old rule, which did not have confirmation, with the most trials that may be best; 0 if
/// there is none.
SessionId busiest_session(const Database& database, std::int64_t task, const std::string& templates) {
  Statement select = database.prepare(
      fmt::format("SELECT trial.session_id FROM trial {} JOIN session ON session.id = trial.session_id"
                  " WHERE session.task_id = :task AND session.rule = {} AND {} AND {}"
                  " GROUP BY 1 ORDER BY count(*) DESC, 1 DESC LIMIT 1",
                  kFromProposal, static_cast<int>(ScoringRule::kDividedByFma), kTemplateMatches, is_sound_trial()));
  return select.bind(task, templates).step() ? select.integer(0) : 0;
}

}  // namespace

std::string is_sound(const char* table) { return fmt::format("{} AND {}.disturbance = ''", is_timed(table), table); }

std::string is_timed(const char* table) {
  return fmt::format("{0}.outcome = 0 AND {0}.verified AND NOT {0}.ended_early AND {0}.median_ns > 0", table);
}

std::string is_sound_trial() {
  return fmt::format("{} AND trial.same_as_trial_id IS NULL AND NOT {}", is_sound("trial"), failed_in_race("1"));
}

const char* best_source_name(BestSource source) {
  switch (source) {
    case BestSource::kRace:
      return "race";
    case BestSource::kConfirmed:
      return "confirmed";
    case BestSource::kUnconfirmed:
      return "unconfirmed";
    case BestSource::kTrial:
      return "trial";
    case BestSource::kDisturbed:
      return "disturbed";
  }
  throw InternalError("internal error: source of a best record out of range");
}

std::optional<double> shape_distance(const WorkloadKey& wanted, const std::vector<WorkloadParameter>& stored) {
  struct Values {
    const WorkloadParameter *wanted = nullptr, *stored = nullptr;
  };
  std::map<std::string, Values> values;
  for (const WorkloadParameter& parameter : wanted.parameters) values[parameter.name].wanted = &parameter;
  for (const WorkloadParameter& parameter : stored) values[parameter.name].stored = &parameter;
  for (const WorkloadParameter& size : wanted.defaults) {
    const auto known = values.find(size.name);
    if (known == values.end()) continue;
    if (known->second.wanted == nullptr) known->second.wanted = &size;
    if (known->second.stored == nullptr) known->second.stored = &size;
  }
  double sum = 0;
  for (const auto& [name, value] : values) {
    if (value.wanted == nullptr || value.stored == nullptr) return std::nullopt;
    if (!value.wanted->is_size) {
      if (value.stored->value != value.wanted->value) return std::nullopt;
      continue;
    }
    const double a = std::strtod(value.wanted->value.c_str(), nullptr);
    const double b = std::strtod(value.stored->value.c_str(), nullptr);
    if (a <= 0 || b <= 0) return std::nullopt;
    sum += std::pow(std::log2(a / b), 2);
  }
  return std::sqrt(sum);
}

std::vector<std::pair<double, StoredTask>> tasks_by_distance(const Database& database, const WorkloadKey& workload,
                                                             const TaskFilter& filter) {
  std::vector<std::pair<double, StoredTask>> near;
  for (StoredTask& task : matching_tasks(database, filter)) {
    if (task.key.workload.text == workload.text) continue;
    if (const auto distance = shape_distance(workload, task.key.workload.parameters)) {
      near.emplace_back(*distance, std::move(task));
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return near;
}

namespace {

/// As best_of_task, with the scores of trials.
std::optional<BestRecord> scored_best(const Database& database, const StoredTask& task, const std::string& templates) {
  if (auto winner = last_winner(database, task, templates)) return winner;
  if (auto confirmed = last_confirmed(database, task, templates, 0)) {
    if (!is_anchor(database, task, confirmed->trial)) return confirmed;
    // Nothing was confirmed but what was there before. A kernel that was clearly faster in the search is worth more,
    // and so is one that won a race beside it, even if the race was disturbed.
    if (auto faster = clearly_faster(database, task, templates, *confirmed)) return faster;
    auto winner = last_disturbed_winner(database, task, templates);
    return winner && !began_before(database, winner->session, confirmed->session) ? winner : confirmed;
  }
  const SessionId session = busiest_session(database, task.id, templates);
  if (session == 0) return last_resort(database, task, templates);
  Statement fastest = database.prepare(select_trials(
      fmt::format("trial.session_id = :session AND {} ORDER BY trial.median_ns, trial.id LIMIT 1", kTemplateMatches)));
  return read_first(fastest.bind(session, templates), database, task, BestSource::kUnconfirmed);
}

}  // namespace

std::optional<BestRecord> best_of_task(const Database& database, const StoredTask& task, const std::string& templates) {
  std::optional<BestRecord> best = scored_best(database, task, templates);
  if (!best || best->source == BestSource::kRace || best->by_old_rule) return best;
  Timing& timing = best->timing;
  estimate_unraced_time(timing);
  if (timing.low_ns == timing.high_ns) {  // one reading does not show how readings differ
    constexpr double kReadingsDiffer = 0.1;
    timing.low_ns *= 1 - kReadingsDiffer;
    timing.high_ns *= 1 + kReadingsDiffer;
  }
  return best;
}

std::optional<BestRecord> stored_best_of(const Database& database, SessionId session, const StoredTask& task,
                                         const std::string& templates) {
  if (auto winner = last_winner(database, task, templates)) return winner;
  return last_confirmed(database, task, templates, session);
}

std::optional<BestRecord> TuningLog::stored_best(SessionId session,
                                                 const std::vector<TemplateVersion>& templates) const {
  const Database& database = state_->database;
  return stored_best_of(database, session, task_of_session(database, session), encode_templates(templates));
}

std::optional<BestRecord> TuningLog::best(const TaskFilter& filter,
                                          const std::vector<TemplateVersion>& templates) const {
  std::optional<BestRecord> latest;
  for (BestRecord& record : list(filter, templates)) {
    const auto rank = [](const BestRecord& r) { return std::pair(r.source != BestSource::kDisturbed, r.recorded_at); };
    if (!latest || rank(record) >= rank(*latest)) latest = std::move(record);
  }
  return latest;
}

std::vector<BestRecord> TuningLog::list(const TaskFilter& filter, const std::vector<TemplateVersion>& templates) const {
  std::vector<BestRecord> records;
  const std::string usable = encode_templates(templates);
  for (const StoredTask& task : matching_tasks(state_->database, filter)) {
    if (auto record = best_of_task(state_->database, task, usable)) records.push_back(std::move(*record));
  }
  return records;
}

std::vector<BestRecord> TuningLog::top(const TaskFilter& filter, int count,
                                       const std::vector<TemplateVersion>& templates) const {
  const auto winner = best(filter, templates);
  if (!winner) return {};
  const Database& database = state_->database;
  const StoredTask task = stored_task(database, winner->task).value();
  const std::string usable = encode_templates(templates);
  std::vector<BestRecord> records = {*winner};
  const auto add_rest = [&](Statement& select, BestSource source) {
    while (static_cast<int>(records.size()) < count && select.step()) {
      const TrialId trial = select.integer(0);
      const auto same = [&](const BestRecord& record) { return record.trial == trial; };
      if (std::any_of(records.begin(), records.end(), same)) continue;
      if (auto record = read_row(select, database, task, source)) records.push_back(std::move(*record));
    }
  };
  if (winner->source == BestSource::kRace) {
    Statement entries = database.prepare(select_race_entries(
        is_sound_entry(),
        fmt::format("race.id = (SELECT max(id) FROM race WHERE session_id = :session AND winner_trial_id = :trial"
                    "           AND disturbance = '') AND {}"
                    " ORDER BY race_entry.median_ns, race_entry.trial_id",
                    kTemplateMatches)));
    add_rest(entries.bind(winner->session, winner->trial, usable), BestSource::kRace);
  }
  Statement trials = database.prepare(select_trials(
      fmt::format("trial.session_id = :session AND {} ORDER BY trial.median_ns, trial.id", kTemplateMatches)));
  add_rest(trials.bind(winner->session, usable), BestSource::kUnconfirmed);
  return records;
}

std::optional<BestRecord> TuningLog::find_trial(TrialId id) const {
  const Database& database = state_->database;
  Statement select = database.prepare(select_any_trials("trial.id = :trial", Readings::kAll));
  if (!select.bind(id).step()) return std::nullopt;
  return read_or_note(database, "trial", id, [&] {
    return read_best(select, task_of_session(database, select.integer(1)), BestSource::kTrial);
  });
}

std::string TuningLog::failure_of(TrialId id) const {
  Statement select = state_->database.prepare("SELECT outcome, message FROM trial WHERE id = ? AND outcome <> 0");
  if (!select.bind(id).step()) return {};
  return fmt::format("{}: {}", outcome_name(static_cast<Outcome>(select.integer(0))), select.text(1));
}

std::vector<BestRecord> TuningLog::nearest(const WorkloadKey& workload, const TaskFilter& filter, int limit,
                                           const std::vector<TemplateVersion>& templates,
                                           const std::string& machine) const {
  TaskFilter same_operator = filter;
  same_operator.workload.clear();
  same_operator.op = workload.op;
  std::vector<BestRecord> records;
  const std::string usable = encode_templates(templates);
  for (const auto& [distance, task] : tasks_by_distance(state_->database, workload, same_operator)) {
    if (!records.empty() && static_cast<int>(records.size()) >= limit && distance > records.back().distance) break;
    auto record = best_of_task(state_->database, task, usable);
    if (!record) continue;
    record->match = MatchKind::kNearest;
    record->distance = distance;
    records.push_back(std::move(*record));
  }
  std::stable_sort(records.begin(), records.end(), [&](const BestRecord& a, const BestRecord& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    const bool a_is_here = a.task.machine == machine, b_is_here = b.task.machine == machine;
    return a_is_here != b_is_here ? a_is_here : a.recorded_at > b.recorded_at;
  });
  if (static_cast<int>(records.size()) > limit) records.resize(static_cast<std::size_t>(limit));
  return records;
}

std::optional<BestRecord> find_best(const TuningLog& log, const WorkloadKey& workload, const TaskFilter& filter,
                                    const std::string& machine, const std::vector<TemplateVersion>& templates,
                                    const std::function<bool(const BestRecord&)>& fits,
                                    const std::string& former_target) {
  std::vector<std::string> targets{filter.target};
  if (!former_target.empty()) targets.push_back(former_target);
  const auto marked = [&](BestRecord record) {
    if (record.task.target == former_target) record.target_now = filter.target;
    return record;
  };
  const auto exact = [&](const std::string& on) -> std::optional<BestRecord> {
    for (const std::string& target : targets) {
      TaskFilter same = filter;
      same.workload = workload.text;
      same.target = target;
      same.machine = on;
      std::optional<BestRecord> best = log.best(same, templates);
      if (!best && !same.backend.empty()) {
        same.backend.clear();
        best = log.best(same, templates);
      }
      if (best) return marked(std::move(*best));
    }
    return std::nullopt;
  };
  if (auto best = exact(machine)) return best;
  if (auto best = exact({})) {
    best->match = MatchKind::kOtherMachine;
    return best;
  }
  constexpr int kTried = 64;  // shapes farther away are useless
  TaskFilter any = filter;
  any.backend.clear();
  for (const std::string& target : targets) {
    any.target = target;
    for (BestRecord& record : log.nearest(workload, any, kTried, templates, machine)) {
      if (fits(record)) return marked(std::move(record));
    }
  }
  return std::nullopt;
}

}  // namespace nestwright
