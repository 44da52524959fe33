#include "logs/listing/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "logs/encode.h"
#include "logs/open_log.h"
#include "logs/read_or_note.h"
#include "logs/session_locks.h"
#include "logs/task.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using sqlite::Statement;

/// Numbers texts in the order in which they appear.
class Numbering {
 public:
  explicit Numbering(std::vector<std::string>& texts) : texts_(texts) {}
  std::uint32_t number(std::string text) {
    const auto [found, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(found->first);
    return found->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Puts the values of a column into their natural order: by their numbers, options by their names.
void sort_values(KnobColumn& column) {
  std::vector<std::pair<KnobValue, std::string>> sorted;
  for (const std::string& text : column.values) sorted.emplace_back(value_numbers(text), text);
  std::sort(sorted.begin(), sorted.end());
  std::unordered_map<std::string_view, std::int32_t> places;
  for (const auto& entry : sorted) places.emplace(entry.second, static_cast<std::int32_t>(places.size()));
  std::vector<std::int32_t> place;
  for (const std::string& text : column.values) place.push_back(places.at(text));
  for (std::int32_t& value : column.value) {
    if (value >= 0) value = place[static_cast<std::size_t>(value)];
  }
  for (std::size_t v = 0; v < sorted.size(); ++v) column.values[v] = sorted[v].second;
}

/// Divides the texts of configurations into columns.
class KnobReader {
 public:
  explicit KnobReader(TrialColumns& trials) : trials_(trials) {}

  /// Adds the knobs of the trial that was added last. `config` is in the form of Config::str().
  void add(std::size_t space, std::string_view config) {
    const std::size_t trial = trials_.size() - 1;
    while (!config.empty()) {
      const std::size_t end = std::min(config.find(' '), config.size());
      const std::string_view entry = config.substr(0, end);
      config.remove_prefix(std::min(end + 1, config.size()));
      const std::size_t equals = entry.find('=');
      if (equals == std::string_view::npos) continue;
      KnobColumn& column = column_of(space, entry.substr(0, equals));
      column.value.resize(trial + 1, -1);
      column.value[trial] = value_of(column, entry.substr(equals + 1));
    }
  }

  void finish() {
    for (KnobColumn& column : trials_.knobs) {
      column.value.resize(trials_.size(), -1);
      sort_values(column);
    }
    std::stable_sort(trials_.knobs.begin(), trials_.knobs.end(),
                     [](const KnobColumn& a, const KnobColumn& b) { return a.space < b.space; });
  }

 private:
  KnobColumn& column_of(std::size_t space, std::string_view knob) {
    // Configurations of one template name their knobs in the same order, so the next column is usually the one.
    std::vector<KnobColumn>& knobs = trials_.knobs;
    for (std::size_t tried = 0; tried < knobs.size(); ++tried) {
      if (next_ >= knobs.size()) next_ = 0;
      KnobColumn& column = knobs[next_++];
      if (column.space == space && column.knob == knob) return column;
    }
    knobs.push_back({space, std::string(knob), {}, {}});
    next_ = 0;
    return knobs.back();
  }

  static std::int32_t value_of(KnobColumn& column, std::string_view text) {
    const auto found = std::find(column.values.begin(), column.values.end(), text);
    if (found == column.values.end()) {
      column.values.emplace_back(text);
      return static_cast<std::int32_t>(column.values.size() - 1);
    }
    return static_cast<std::int32_t>(found - column.values.begin());
  }

  TrialColumns& trials_;
  std::size_t next_ = 0;
};

}  // namespace

struct LogReader::State {
  sqlite::Database database;
  SessionLocks locks;
};

KnobValue value_numbers(const std::string& text) {
  try {
    return Config::parse("x=" + text).entries().front().value;
  } catch (const UsageError&) {
    return {};
  }
}

bool TrialColumns::is_timed(std::size_t trial) const {
  return outcome[trial] == static_cast<std::uint8_t>(Outcome::kOk) && has(trial, kIsVerified) &&
         !has(trial, kEndedEarly) && median_ns[trial] > 0;
}

std::string TrialColumns::config(std::size_t trial) const {
  std::string text;
  for (const KnobColumn& column : knobs) {
    const std::int32_t value = column.space == space[trial] ? column.value[trial] : -1;
    if (value < 0) continue;
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ", column.knob, column.values[static_cast<std::size_t>(value)]);
  }
  return text;
}

LogReader::LogReader(const std::string& path, const OpenOptions& options)
    : state_(std::make_unique<State>(State{open_log(path, OpenMode::kRead, options), SessionLocks(real_file(path))})) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

std::vector<RecordedTask> LogReader::tasks(const TaskFilter& filter) const {
  std::vector<RecordedTask> tasks;
  for (StoredTask& task : matching_tasks(state_->database, filter)) {
    tasks.push_back({task.id, std::move(task.key), task.totals});
  }
  return tasks;
}

SessionListing LogReader::sessions(const SessionFilter& filter) const {
  return list_sessions(state_->database, state_->locks, filter);
}

std::vector<RecordedRace> LogReader::races(const RecordedTask& task) const {
  std::vector<RecordedRace> races;
  Statement select = state_->database.prepare(
      "SELECT id, session_id, recorded_at, disturbance, winner_trial_id FROM race WHERE task_id = ?"
      " ORDER BY recorded_at, id");
  select.bind(task.id);
  while (select.step()) {
    races.push_back({select.integer(0), select.integer(1), select.text(2), select.text(3), select.integer(4), {}});
  }
  Statement entries = state_->database.prepare(
      fmt::format("SELECT race_entry.trial_id, race_entry.role, race_entry.tied, race_entry.process_medians_ns, {}, {}"
                  " FROM race_entry JOIN trial ON trial.id = race_entry.trial_id"
                  " JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id"
                  " WHERE race_entry.race_id = ? ORDER BY race_entry.id",
                  kPointColumns, measurement_columns("race_entry", Readings::kNone)));
  for (RecordedRace& race : races) {
    entries.bind(race.id);
    while (entries.step()) {
      auto entry = read_or_note(state_->database, "race entry of trial", entries.integer(0), [&] {
        return RecordedRace::Entry{entries.integer(0),
                                   read_point(entries, 4),
                                   entries.text(1),
                                   entries.integer(2) != 0,
                                   read_measurement(entries, 4 + kPointColumnCount),
                                   decode_numbers(entries.text(3))};
      });
      if (entry) race.entries.push_back(std::move(*entry));
    }
  }
  return races;
}

TrialColumns LogReader::trials(const RecordedTask& task) const {
  TrialColumns trials;
  std::unordered_map<std::int64_t, std::size_t> spaces;  // by their id
  Statement of_task =
      state_->database.prepare("SELECT id, template, template_version FROM space WHERE task_id = ? ORDER BY id");
  of_task.bind(task.id);
  while (of_task.step()) {
    spaces.emplace(of_task.integer(0), trials.spaces.size());
    trials.spaces.push_back({of_task.text(1), static_cast<int>(of_task.integer(2))});
  }
  Numbering messages(trials.messages), origins(trials.origins);
  KnobReader knobs(trials);
  Statement select = state_->database.prepare(
      "SELECT trial.id, trial.session_id, trial.outcome, trial.median_ns, trial.low_ns, trial.high_ns, trial.verified,"
      " trial.ended_early, trial.disturbance <> '', trial.same_as_trial_id IS NOT NULL, trial.part_ratio IS NOT NULL,"
      " (julianday(trial.recorded_at) - julianday(session.started_at)) * 86400, trial.message, proposal.origin,"
      " proposal.space_id, proposal.config"
      " FROM session CROSS JOIN trial ON trial.session_id = session.id"
      " CROSS JOIN proposal ON proposal.id = trial.proposal_id WHERE session.task_id = ? ORDER BY trial.id");
  select.bind(task.id);
  while (select.step()) {
    const auto space = spaces.find(select.integer(14));
    if (space == spaces.end()) continue;
    trials.id.push_back(select.integer(0));
    trials.session.push_back(select.integer(1));
    trials.outcome.push_back(static_cast<std::uint8_t>(select.integer(2)));
    trials.median_ns.push_back(select.real(3));
    trials.low_ns.push_back(select.real(4));
    trials.high_ns.push_back(select.real(5));
    trials.flags.push_back(static_cast<std::uint8_t>(
        (select.integer(6) != 0 ? kIsVerified : 0) | (select.integer(7) != 0 ? kEndedEarly : 0) |
        (select.integer(8) != 0 ? kIsDisturbed : 0) | (select.integer(9) != 0 ? kIsCopy : 0) |
        (select.integer(10) != 0 ? kIsPart : 0)));
    trials.seconds.push_back(select.real(11));
    trials.message.push_back(messages.number(select.text(12)));
    trials.origin.push_back(origins.number(select.text(13)));
    trials.space.push_back(static_cast<std::uint32_t>(space->second));
    knobs.add(space->second, select.text(15));
  }
  knobs.finish();
  return trials;
}

MachineLimits LogReader::limits(const std::string& machine) const {
  Statement select = state_->database.prepare("SELECT fma_gflops, read_gb_s FROM machine_limit WHERE machine = ?");
  if (!select.bind(machine).step()) return {};
  return {select.real(0), select.real(1)};
}

}  // namespace nestwright
