// TuningLog's replacement of a measurement by a better one.
#include <fmt/format.h>

#include "logs/encode.h"
#include "logs/quality.h"
#include "logs/state.h"
#include "logs/task.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

/// Throws LogError for a trial that takes another one's measurement.
bool is_improvement(const Database& database, TrialId trial, const Measurement& measurement) {
  Statement select =
      database.prepare(fmt::format("SELECT same_as_trial_id, {} FROM trial WHERE id = ?", kMeasurementColumns));
  select.bind(trial);
  check(select.step(), "a trial that was just found is gone");
  if (!select.is_null(0)) {
    throw LogError(fmt::format("trial {} of database '{}' takes the measurement of trial {}: measure that one again",
                               trial, database.path(), select.integer(0)));
  }
  return improves(measurement, read_measurement(select, 1));
}

}  // namespace

bool TuningLog::remeasure(SessionId session, TrialId trial, const Measurement& measurement, const std::string& code) {
  Database& database = state_->database;
  Transaction transaction(database);
  require_trial_of_task(database, trial, session);
  if (!is_improvement(database, trial, measurement)) return false;
  const auto replace = [&](const char* which) {
    Statement update =
        database.prepare(fmt::format("UPDATE trial SET ({}, code) = ({}, coalesce(?, code)) WHERE {} = ?",
                                     remeasured_columns(), placeholders(kMeasurementColumnCount + 3), which));
    update.bind();
    bind_measurement(update, measurement);
    update
        .add(known(measurement.device_clock_mhz), known(measurement.device_temperature_c),
             known(measurement.timing.part_ratio), code.empty() ? std::nullopt : std::optional(code), trial)
        .run();
  };
  replace("id");
  replace("same_as_trial_id");
  database.prepare("UPDATE trial SET session_id = ?, check_ms = check_ms + ?, measure_ms = measure_ms + ? WHERE id = ?")
      .bind(session, measurement.check_ms, measurement.measure_ms, trial)
      .run();
  transaction.commit();
  return true;
}

}  // namespace nestwright
