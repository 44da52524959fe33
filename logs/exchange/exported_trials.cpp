#include "logs/exchange/exported_trials.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "logs/encode.h"
#include "logs/read_or_note.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;
using sqlite::Database;
using sqlite::Statement;

/// Columns before those of point and measurement.
constexpr int kOwnColumns = 5;

/// Trials with the factor that brings their times to the unit of session ?2. All trials of a task of another tuner
/// (?2 = 0) are in the same unit.
std::string select_trials(const char* columns, const char* order) {
  return fmt::format(
      "SELECT {} FROM trial JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id"
      " JOIN batch ON batch.id = proposal.batch_id JOIN session ON session.id = trial.session_id"
      " JOIN trial AS measured ON measured.id = coalesce(trial.same_as_trial_id, trial.id)"
      " JOIN session AS unit ON unit.id = measured.session_id LEFT JOIN session AS base ON base.id = ?2"
      " WHERE session.task_id = ?1 AND (?2 = 0 OR unit.id = ?2"
      "  OR (unit.rule = 2 AND base.rule = 2 AND unit.anchor_trial_id = base.anchor_trial_id AND unit.anchor_ns > 0)) "
      "{}",
      columns, order);
}

constexpr const char* kFactor = "CASE WHEN ?2 = 0 OR unit.id = ?2 THEN 1.0 ELSE base.anchor_ns / unit.anchor_ns END";

SessionId latest_session(const Database& database, std::int64_t task) {
  Statement select = database.prepare(
      "SELECT id FROM session WHERE task_id = ? AND EXISTS (SELECT 1 FROM trial WHERE session_id = session.id)"
      " ORDER BY anchor_ns IS NULL, started_at DESC, id DESC LIMIT 1");
  return select.bind(task).step() ? select.integer(0) : 0;
}

void rescale(Timing& timing, double factor) {
  if (factor == 1) return;
  timing.median_ns *= factor;
  timing.low_ns *= factor;
  timing.high_ns *= factor;
  for (double& sample_ns : timing.samples_ns) sample_ns *= factor;
}

/// The knobs of one of our configurations, each with one value, and its template.
Config flat(const Point& point) {
  Config config;
  config.set("template", {}, fmt::format("{}-{}", point.template_name, point.version));
  for (const ConfigEntry& entry : point.config.entries()) {
    if (!entry.label.empty() || entry.value.size() == 1) {
      config.set(entry.knob, entry.value, entry.label);
      continue;
    }
    for (std::size_t i = 0; i < entry.value.size(); ++i) {
      config.set(fmt::format("{}_{}", entry.knob, i), {entry.value[i]});
    }
  }
  return config;
}

/// What T4 has beside the columns, for a trial of which no file said it.
Json rest_of(const Measurement& m, double flops) {
  Json measurements = Json::array();
  if (m.timing.median_ns > 0) measurements.push_back({{"name", "time"}, {"unit", "ms"}});
  if (m.timing.median_ns > 0 && flops > 0) {
    measurements.push_back({{"name", "GFLOP/s"}, {"value", flops / m.timing.median_ns}, {"unit", ""}});
  }
  return {{"times", {{"framework", 0}, {"search_algorithm", 0}}},
          {"measurements", std::move(measurements)},
          {"objectives", {"time"}}};
}

/// The fields that files of other tuners have beside the columns (ForeignSession), read beside the trials one at a
/// time, because they may be many.
class KeptFields {
 public:
  explicit KeptFields(const Database& database)
      : select_(database.prepare("SELECT kept.key, kept.value FROM session,"
                                 " json_each(session.options, '$.results') AS kept WHERE session.id = ?")) {}

  /// Null if there are none. Requires that sessions come one after another, and positions of a session ascend.
  Json of(SessionId session, std::int64_t position) {
    if (session != session_) {
      session_ = session;
      has_row_ = select_.bind(session).step();
    }
    while (has_row_ && select_.integer(0) < position) has_row_ = select_.step();
    if (!has_row_ || select_.integer(0) != position) return nullptr;
    return parsed_json(select_.text(1));
  }

 private:
  Statement select_;
  SessionId session_ = 0;
  bool has_row_ = false;
};

}  // namespace

ExportedTask::ExportedTask(const Database& database, StoredTask task) : database_(database), task_(std::move(task)) {
  const SessionId latest = latest_session(database, task_.id);
  if (task_.key.workload.source.empty()) {
    base_ = latest;
    Statement comparable = database.prepare(select_trials("count(*)", ""));
    comparable.bind(task_.id, base_).step();
    left_out_ = task_.totals.trials - comparable.integer(0);
    return;
  }
  Statement select = database.prepare("SELECT options -> '$.file' FROM session WHERE id = ?");
  if (select.bind(latest).step() && !select.is_null(0)) header_ = parsed_json(select.text(0));
  if (!header_.is_object()) header_ = Json::object();
}

void ExportedTask::for_each(const std::function<void(const ForeignTrial&)>& f) const {
  static const std::string kSelect = select_trials(
      fmt::format("trial.id, trial.compile_ms, trial.check_ms, trial.measure_ms, trial.recorded_at, {}, {}, {},"
                  " batch.session_id, proposal.position, trial.session_id = batch.session_id",
                  kPointColumns, measurement_columns("trial"), kFactor)
          .c_str(),
      "ORDER BY iif(?2 = 0, batch.session_id, trial.session_id), iif(?2 = 0, proposal.position, trial.id)");
  constexpr int kFactorColumn = kOwnColumns + kPointColumnCount + kMeasurementColumnCount;
  const bool is_foreign = !task_.key.workload.source.empty();
  KeptFields kept(database_);
  Statement select = database_.prepare(kSelect);
  select.bind(task_.id, base_);
  while (select.step()) {
    const auto trial = read_or_note(database_, "trial", select.integer(0), [&] {
      ForeignTrial read;
      const Point point = read_point(select, kOwnColumns);
      read.config = is_foreign ? point.config : flat(point);
      read.measurement = read_measurement(select, kOwnColumns + kPointColumnCount);
      read.measurement.compile_ms = select.real(1);
      read.measurement.check_ms = select.real(2);
      read.measurement.measure_ms = select.real(3);
      read.recorded_at = select.text(4);
      rescale(read.measurement.timing, select.real(kFactorColumn));
      // A trial that another file's measurement has replaced has lost the fields of its own.
      const bool has_fields = is_foreign && select.integer(kFactorColumn + 3) != 0;
      if (has_fields) read.rest = kept.of(select.integer(kFactorColumn + 1), select.integer(kFactorColumn + 2));
      if (!has_fields || !read.rest.is_object()) read.rest = rest_of(read.measurement, task_.key.workload.flops);
      return read;
    });
    if (trial) f(*trial);
  }
}

}  // namespace nestwright
