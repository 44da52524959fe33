// LogReader reads whole tasks from a log, for reports: their sessions, their races, and all their trials as columns,
// without the individual readings of trials, which are most of the file.
// Thread rule: one thread at a time per LogReader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "logs/listing/sessions.h"
#include "nestwright/database.h"
#include "nestwright/records.h"

namespace nestwright {

/// A task with its number of trials.
struct RecordedTask {
  std::int64_t id = 0;  ///< in the database
  TaskKey key;
  TaskTotals totals;
};

/// A race as it was recorded, with the points of its entries.
struct RecordedRace {
  std::int64_t id = 0;
  SessionId session = 0;
  std::string recorded_at;  ///< UTC, ISO 8601
  std::string disturbance;  ///< empty: nothing disturbed it
  TrialId winner = 0;       ///< 0: none
  struct Entry {
    TrialId trial = 0;
    Point point;
    std::string role;
    bool tied = false;
    Measurement measurement;  ///< without the readings
    std::vector<double> process_medians_ns;
  };
  std::vector<Entry> entries;
};

/// What is true of a trial, as bits.
enum TrialFlag : std::uint8_t {
  kIsVerified = 1,
  kEndedEarly = 2,
  kIsDisturbed = 4,
  kIsCopy = 8,   ///< it takes the measurement of another trial of the same code
  kIsPart = 16,  ///< only a part of its kernel was timed
};

/// The values of one knob of one template, and which of them each trial has.
struct KnobColumn {
  std::size_t space = 0;  ///< an index into TrialColumns::spaces
  std::string knob;
  std::vector<std::string> values;  ///< as Config::str() writes them: by their numbers, options by name
  std::vector<std::int32_t> value;  ///< of each trial, an index into values; -1: its configuration lacks the knob
};

/// The numbers of a value's text: {4} of "4", {4, 2} of "[4,2]"; empty for an option, and for a value of another tuner.
KnobValue value_numbers(const std::string& text);

/// The trials of a task, in the order of recording. All columns have the same length.
struct TrialColumns {
  std::vector<TemplateVersion> spaces;
  std::vector<std::string> messages, origins;  ///< each text once

  std::vector<TrialId> id;
  std::vector<SessionId> session;
  std::vector<std::uint8_t> outcome, flags;           ///< Outcome, TrialFlag
  std::vector<double> median_ns, low_ns, high_ns;     ///< in the unit of the session; 0: not timed
  std::vector<double> seconds;                        ///< when it was recorded, since the start of its session
  std::vector<std::uint32_t> space, message, origin;  ///< indices into the lists above
  std::vector<KnobColumn> knobs;                      ///< in the order of the templates' definitions

  std::size_t size() const { return id.size(); }
  bool has(std::size_t trial, TrialFlag flag) const { return (flags[trial] & flag) != 0; }
  /// Whether it was timed to the end and is right; a disturbed one counts.
  bool is_timed(std::size_t trial) const;
  /// The configuration of a trial, as Config::str() writes it.
  std::string config(std::size_t trial) const;
};

class LogReader {
 public:
  /// Opens a log for reading, as TuningLog::open does. Throws LogError.
  explicit LogReader(const std::string& path, const OpenOptions& options = {});
  LogReader(LogReader&&) noexcept;
  ~LogReader();

  std::vector<RecordedTask> tasks(const TaskFilter& filter) const;
  /// The time depends on the trials of the sessions that are listed. Throws LogError.
  SessionListing sessions(const SessionFilter& filter) const;
  std::vector<RecordedRace> races(const RecordedTask& task) const;
  TrialColumns trials(const RecordedTask& task) const;
  /// Returns the highest rates ever measured on a machine; zeros if none is recorded.
  MachineLimits limits(const std::string& machine) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nestwright
