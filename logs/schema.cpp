#include "logs/schema.h"

#include <fmt/format.h>

#include "nestwright/error.h"

namespace nestwright {
namespace {

// Documented in logs/FORMAT.md; a test compares the two.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE outcome(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO outcome VALUES (0,'ok'),(1,'invalid_config'),(2,'compile_error'),(3,'launch_error'),(4,'timeout'),(5,'crash'),
                           (6,'wrong_result');
CREATE TABLE pipeline(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO pipeline VALUES (0,'search'),(1,'final');

CREATE TABLE target(
  id INTEGER PRIMARY KEY,
  target TEXT NOT NULL,
  machine TEXT NOT NULL,
  backend TEXT NOT NULL,
  threads INTEGER NOT NULL,
  UNIQUE(target, machine, backend, threads)) STRICT;

CREATE TABLE workload(
  id INTEGER PRIMARY KEY,
  workload TEXT NOT NULL UNIQUE,
  op TEXT NOT NULL,
  dtype TEXT NOT NULL,
  parameters TEXT NOT NULL CHECK(json_valid(parameters)),
  flops REAL NOT NULL) STRICT;
CREATE INDEX workload_by_op ON workload(op);

CREATE TABLE task(
  id INTEGER PRIMARY KEY,
  workload_id INTEGER NOT NULL REFERENCES workload(id),
  target_id INTEGER NOT NULL REFERENCES target(id),
  pipeline INTEGER NOT NULL REFERENCES pipeline(id),
  cache TEXT NOT NULL,
  pages TEXT NOT NULL,
  prepacked TEXT NOT NULL,
  UNIQUE(workload_id, target_id, pipeline, cache, pages, prepacked)) STRICT;

CREATE TABLE space(
  id INTEGER PRIMARY KEY,
  task_id INTEGER NOT NULL REFERENCES task(id),
  template TEXT NOT NULL,
  template_version INTEGER NOT NULL,
  valid_points REAL,
  estimated INTEGER,
  UNIQUE(task_id, template, template_version)) STRICT;

CREATE TABLE session(
  id INTEGER PRIMARY KEY,
  task_id INTEGER NOT NULL REFERENCES task(id),
  seed TEXT NOT NULL,
  strategy TEXT NOT NULL,
  cost_model TEXT NOT NULL,
  options TEXT NOT NULL CHECK(json_valid(options)),
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  owner TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT) STRICT;
CREATE INDEX session_by_task ON session(task_id);

CREATE TABLE batch(
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES session(id),
  number INTEGER NOT NULL,
  runner_session_id INTEGER NOT NULL REFERENCES session(id),
  committed_at TEXT NOT NULL,
  UNIQUE(session_id, number)) STRICT;

CREATE TABLE proposal(
  id INTEGER PRIMARY KEY,
  batch_id INTEGER NOT NULL REFERENCES batch(id),
  position INTEGER NOT NULL,
  space_id INTEGER NOT NULL REFERENCES space(id),
  config TEXT NOT NULL,
  knobs TEXT NOT NULL CHECK(json_valid(knobs)),
  origin TEXT NOT NULL,
  UNIQUE(batch_id, position),
  UNIQUE(space_id, config)) STRICT;

CREATE TABLE trial(
  id INTEGER PRIMARY KEY,
  proposal_id INTEGER NOT NULL UNIQUE REFERENCES proposal(id),
  session_id INTEGER NOT NULL REFERENCES session(id),
  outcome INTEGER NOT NULL REFERENCES outcome(id),
  message TEXT NOT NULL,
  median_ns REAL, low_ns REAL, high_ns REAL,
  samples_ns TEXT NOT NULL CHECK(json_valid(samples_ns)),
  raw_ns TEXT NOT NULL CHECK(json_valid(raw_ns)),
  bracket_ns TEXT NOT NULL CHECK(json_valid(bracket_ns)),
  ended_early INTEGER NOT NULL,
  verified INTEGER NOT NULL,
  largest_error REAL,
  largest_error_ratio REAL,
  compile_ms REAL NOT NULL, check_ms REAL NOT NULL, measure_ms REAL NOT NULL,
  recorded_at TEXT NOT NULL) STRICT;
CREATE INDEX trial_by_session ON trial(session_id, median_ns);

CREATE TABLE race(
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES session(id),
  task_id INTEGER NOT NULL REFERENCES task(id),
  pipeline INTEGER NOT NULL REFERENCES pipeline(id),
  winner_trial_id INTEGER NOT NULL REFERENCES trial(id),
  recorded_at TEXT NOT NULL) STRICT;
CREATE INDEX race_by_task ON race(task_id);

CREATE TABLE race_entry(
  id INTEGER PRIMARY KEY,
  race_id INTEGER NOT NULL REFERENCES race(id),
  trial_id INTEGER NOT NULL REFERENCES trial(id),
  role TEXT NOT NULL,
  tied INTEGER NOT NULL,
  outcome INTEGER NOT NULL REFERENCES outcome(id),
  message TEXT NOT NULL,
  median_ns REAL, low_ns REAL, high_ns REAL,
  samples_ns TEXT NOT NULL CHECK(json_valid(samples_ns)),
  raw_ns TEXT NOT NULL CHECK(json_valid(raw_ns)),
  bracket_ns TEXT NOT NULL CHECK(json_valid(bracket_ns)),
  ended_early INTEGER NOT NULL,
  verified INTEGER NOT NULL,
  largest_error REAL,
  largest_error_ratio REAL,
  UNIQUE(race_id, trial_id)) STRICT;

CREATE VIEW result AS
SELECT trial.id AS trial_id, trial.session_id, session.task_id, workload.workload, workload.op, workload.dtype,
       workload.parameters, target.target, target.threads, target.machine, target.backend, pipeline.name AS pipeline,
       task.cache, task.pages, task.prepacked, space.template, space.template_version, proposal.config, proposal.knobs,
       proposal.origin, outcome.name AS outcome, trial.message, trial.median_ns, trial.low_ns, trial.high_ns,
       workload.flops / trial.median_ns AS gflops, trial.verified, trial.ended_early, trial.recorded_at
FROM trial JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id
     JOIN session ON session.id = trial.session_id JOIN task ON task.id = session.task_id
     JOIN workload ON workload.id = task.workload_id JOIN target ON target.id = task.target_id
     JOIN pipeline ON pipeline.id = task.pipeline JOIN outcome ON outcome.id = trial.outcome;
)sql";

// Parameters at their defaults are omitted, so that operators can gain parameters. Version 1 had one operator.
constexpr const char* kVersion2 = R"sql(
UPDATE workload SET workload = rtrim(replace(replace(replace(workload || ' ', ' ta=0 ', ' '), ' tb=0 ', ' '),
                                             ' dtype=float32 ', ' '));
UPDATE workload SET parameters = json_remove(parameters, '$.ta') WHERE parameters ->> '$.ta' = 0;
UPDATE workload SET parameters = json_remove(parameters, '$.tb') WHERE parameters ->> '$.tb' = 0;
UPDATE workload SET parameters = json_remove(parameters, '$.dtype') WHERE parameters ->> '$.dtype' = 'float32';
)sql";

// Trials of the same machine code.
constexpr const char* kVersion3 = R"sql(
ALTER TABLE trial ADD COLUMN code TEXT;
ALTER TABLE trial ADD COLUMN same_as_trial_id INTEGER REFERENCES trial(id);
DROP VIEW result;
CREATE VIEW result AS
SELECT trial.id AS trial_id, trial.session_id, session.task_id, workload.workload, workload.op, workload.dtype,
       workload.parameters, target.target, target.threads, target.machine, target.backend, pipeline.name AS pipeline,
       task.cache, task.pages, task.prepacked, space.template, space.template_version, proposal.config, proposal.knobs,
       proposal.origin, outcome.name AS outcome, trial.message, trial.median_ns, trial.low_ns, trial.high_ns,
       workload.flops / trial.median_ns AS gflops, trial.verified, trial.ended_early, trial.code,
       trial.same_as_trial_id, trial.recorded_at
FROM trial JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id
     JOIN session ON session.id = trial.session_id JOIN task ON task.id = session.task_id
     JOIN workload ON workload.id = task.workload_id JOIN target ON target.id = task.target_id
     JOIN pipeline ON pipeline.id = task.pipeline JOIN outcome ON outcome.id = trial.outcome;
)sql";

// The conditions of a device while it was timed.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE trial ADD COLUMN device_clock_mhz REAL;
ALTER TABLE trial ADD COLUMN device_temperature_c REAL;
)sql";

// The resources of a trial's kernels, as reported by the compiler.
constexpr const char* kVersion5 = R"sql(
ALTER TABLE trial ADD COLUMN resources TEXT CHECK(resources IS NULL OR json_valid(resources));
)sql";

// Times that are paired with a reference kernel, their disturbances, confirmed incumbents, the limits of machines.
// `race` is recreated because its winner may now be absent, and `race_entry` because it refers to `race`.
constexpr const char* kVersion6 = R"sql(
DROP VIEW result;

ALTER TABLE session ADD COLUMN rule INTEGER NOT NULL DEFAULT 1;
ALTER TABLE session ADD COLUMN anchor_trial_id INTEGER REFERENCES trial(id);
ALTER TABLE session ADD COLUMN anchor_ns REAL;
ALTER TABLE session ADD COLUMN incumbent_trial_id INTEGER REFERENCES trial(id);

ALTER TABLE trial RENAME COLUMN bracket_ns TO fma_ns;
ALTER TABLE trial ADD COLUMN reference_ns TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(reference_ns));
ALTER TABLE trial ADD COLUMN walk_ns TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(walk_ns));
ALTER TABLE trial ADD COLUMN disturbance TEXT NOT NULL DEFAULT '';
CREATE INDEX trial_by_same_as ON trial(same_as_trial_id) WHERE same_as_trial_id IS NOT NULL;

CREATE TABLE new_race(
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES session(id),
  task_id INTEGER NOT NULL REFERENCES task(id),
  pipeline INTEGER NOT NULL REFERENCES pipeline(id),
  winner_trial_id INTEGER REFERENCES trial(id),
  disturbance TEXT NOT NULL DEFAULT '',
  recorded_at TEXT NOT NULL) STRICT;
INSERT INTO new_race(id, session_id, task_id, pipeline, winner_trial_id, recorded_at)
SELECT id, session_id, task_id, pipeline, winner_trial_id, recorded_at FROM race;

CREATE TABLE new_race_entry(
  id INTEGER PRIMARY KEY,
  race_id INTEGER NOT NULL REFERENCES new_race(id),
  trial_id INTEGER NOT NULL REFERENCES trial(id),
  role TEXT NOT NULL,
  tied INTEGER NOT NULL,
  outcome INTEGER NOT NULL REFERENCES outcome(id),
  message TEXT NOT NULL,
  median_ns REAL, low_ns REAL, high_ns REAL,
  samples_ns TEXT NOT NULL CHECK(json_valid(samples_ns)),
  raw_ns TEXT NOT NULL CHECK(json_valid(raw_ns)),
  reference_ns TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(reference_ns)),
  fma_ns TEXT NOT NULL CHECK(json_valid(fma_ns)),
  walk_ns TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(walk_ns)),
  process_medians_ns TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(process_medians_ns)),
  ended_early INTEGER NOT NULL,
  disturbance TEXT NOT NULL DEFAULT '',
  verified INTEGER NOT NULL,
  largest_error REAL,
  largest_error_ratio REAL,
  UNIQUE(race_id, trial_id)) STRICT;
INSERT INTO new_race_entry(id, race_id, trial_id, role, tied, outcome, message, median_ns, low_ns, high_ns, samples_ns,
                           raw_ns, fma_ns, ended_early, verified, largest_error, largest_error_ratio)
SELECT id, race_id, trial_id, role, tied, outcome, message, median_ns, low_ns, high_ns, samples_ns,
       raw_ns, bracket_ns, ended_early, verified, largest_error, largest_error_ratio FROM race_entry;

DROP TABLE race_entry;
DROP TABLE race;
ALTER TABLE new_race RENAME TO race;
ALTER TABLE new_race_entry RENAME TO race_entry;
CREATE INDEX race_by_task ON race(task_id);
CREATE INDEX race_entry_by_trial ON race_entry(trial_id);

CREATE TABLE machine_limit(
  machine TEXT PRIMARY KEY,
  fma_gflops REAL NOT NULL,
  read_gb_s REAL NOT NULL,
  recorded_at TEXT NOT NULL) STRICT;

CREATE VIEW result AS
SELECT trial.id AS trial_id, trial.session_id, session.task_id, workload.workload, workload.op, workload.dtype,
       workload.parameters, target.target, target.threads, target.machine, target.backend, pipeline.name AS pipeline,
       task.cache, task.pages, task.prepacked, space.template, space.template_version, proposal.config, proposal.knobs,
       proposal.origin, outcome.name AS outcome, trial.message, trial.median_ns, trial.low_ns, trial.high_ns,
       workload.flops / trial.median_ns AS gflops, trial.verified, trial.ended_early, trial.disturbance, unit.rule,
       unit.anchor_trial_id, unit.anchor_ns, trial.code, trial.same_as_trial_id, trial.recorded_at
FROM trial JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id
     JOIN session ON session.id = trial.session_id JOIN task ON task.id = session.task_id
     JOIN workload ON workload.id = task.workload_id JOIN target ON target.id = task.target_id
     JOIN pipeline ON pipeline.id = task.pipeline JOIN outcome ON outcome.id = trial.outcome
     JOIN trial AS measured ON measured.id = coalesce(trial.same_as_trial_id, trial.id)
     JOIN session AS unit ON unit.id = measured.session_id;
)sql";

// The provenance of a session's kernels. Devices were always timed with cold caches.
constexpr const char* kVersion7 = R"sql(
ALTER TABLE session ADD COLUMN code_generator TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN kernel TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN microcode TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN huge_pages TEXT NOT NULL DEFAULT '';
UPDATE OR IGNORE task SET cache = 'cold'
WHERE target_id IN (SELECT id FROM target WHERE target LIKE 'cuda%' OR target LIKE 'opencl%');

DROP VIEW result;
CREATE VIEW result AS
SELECT trial.id AS trial_id, trial.session_id, session.task_id, workload.workload, workload.op, workload.dtype,
       workload.parameters, target.target, target.threads, target.machine, target.backend, pipeline.name AS pipeline,
       task.cache, task.pages, task.prepacked, space.template, space.template_version, proposal.config, proposal.knobs,
       proposal.origin, outcome.name AS outcome, trial.message, trial.median_ns, trial.low_ns, trial.high_ns,
       workload.flops / trial.median_ns AS gflops, trial.verified, trial.ended_early, trial.disturbance, unit.rule,
       unit.anchor_trial_id, unit.anchor_ns, unit.code_generator, unit.kernel, unit.microcode, unit.huge_pages,
       trial.code, trial.same_as_trial_id, trial.recorded_at
FROM trial JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id
     JOIN session ON session.id = trial.session_id JOIN task ON task.id = session.task_id
     JOIN workload ON workload.id = task.workload_id JOIN target ON target.id = task.target_id
     JOIN pipeline ON pipeline.id = task.pipeline JOIN outcome ON outcome.id = trial.outcome
     JOIN trial AS measured ON measured.id = coalesce(trial.same_as_trial_id, trial.id)
     JOIN session AS unit ON unit.id = measured.session_id;
)sql";

// The records of each task and the unmeasured points of each batch are counted when they are written, so that queries
// for a best and for an unfinished batch need not scan all trials of the task.
constexpr const char* kVersion8 = R"sql(
ALTER TABLE task ADD COLUMN trials INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN spent_ms REAL NOT NULL DEFAULT 0;
UPDATE task SET trials = recorded.trials, spent_ms = recorded.spent_ms
FROM (SELECT session.task_id, count(*) AS trials, sum(compile_ms + check_ms + measure_ms) AS spent_ms
      FROM trial JOIN session ON session.id = trial.session_id GROUP BY 1) AS recorded
WHERE recorded.task_id = task.id;
CREATE TRIGGER trial_adds_to_task AFTER INSERT ON trial BEGIN
  UPDATE task SET trials = trials + 1, spent_ms = spent_ms + new.compile_ms + new.check_ms + new.measure_ms
  WHERE id = (SELECT task_id FROM session WHERE id = new.session_id);
END;
CREATE TRIGGER trial_changes_task AFTER UPDATE OF compile_ms, check_ms, measure_ms ON trial BEGIN
  UPDATE task SET spent_ms = spent_ms + new.compile_ms + new.check_ms + new.measure_ms
                             - old.compile_ms - old.check_ms - old.measure_ms
  WHERE id = (SELECT task_id FROM session WHERE id = new.session_id);
END;
CREATE TRIGGER trial_leaves_task AFTER DELETE ON trial BEGIN
  UPDATE task SET trials = trials - 1, spent_ms = spent_ms - old.compile_ms - old.check_ms - old.measure_ms
  WHERE id = (SELECT task_id FROM session WHERE id = old.session_id);
END;

ALTER TABLE batch ADD COLUMN unmeasured INTEGER NOT NULL DEFAULT 0;
UPDATE batch SET unmeasured = waiting.points
FROM (SELECT batch_id, count(*) AS points FROM proposal
      WHERE NOT EXISTS (SELECT 1 FROM trial WHERE proposal_id = proposal.id) GROUP BY 1) AS waiting
WHERE waiting.batch_id = batch.id;
CREATE INDEX unfinished_batch ON batch(session_id) WHERE unmeasured > 0;
CREATE TRIGGER proposal_adds_to_batch AFTER INSERT ON proposal BEGIN
  UPDATE batch SET unmeasured = unmeasured + 1 WHERE id = new.batch_id;
END;
CREATE TRIGGER trial_measures_batch AFTER INSERT ON trial BEGIN
  UPDATE batch SET unmeasured = unmeasured - 1 WHERE id = (SELECT batch_id FROM proposal WHERE id = new.proposal_id);
END;
CREATE TRIGGER trial_leaves_batch AFTER DELETE ON trial BEGIN
  UPDATE batch SET unmeasured = unmeasured + 1 WHERE id = (SELECT batch_id FROM proposal WHERE id = old.proposal_id);
END;
)sql";

// The plugins that a session's operator and templates come from.
constexpr const char* kVersion9 = R"sql(
ALTER TABLE session ADD COLUMN plugins TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(plugins));

DROP VIEW result;
CREATE VIEW result AS
SELECT trial.id AS trial_id, trial.session_id, session.task_id, workload.workload, workload.op, workload.dtype,
       workload.parameters, target.target, target.threads, target.machine, target.backend, pipeline.name AS pipeline,
       task.cache, task.pages, task.prepacked, space.template, space.template_version, proposal.config, proposal.knobs,
       proposal.origin, outcome.name AS outcome, trial.message, trial.median_ns, trial.low_ns, trial.high_ns,
       workload.flops / trial.median_ns AS gflops, trial.verified, trial.ended_early, trial.disturbance, unit.rule,
       unit.anchor_trial_id, unit.anchor_ns, unit.code_generator, unit.kernel, unit.microcode, unit.huge_pages,
       unit.plugins, trial.code, trial.same_as_trial_id, trial.recorded_at
FROM trial JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id
     JOIN session ON session.id = trial.session_id JOIN task ON task.id = session.task_id
     JOIN workload ON workload.id = task.workload_id JOIN target ON target.id = task.target_id
     JOIN pipeline ON pipeline.id = task.pipeline JOIN outcome ON outcome.id = trial.outcome
     JOIN trial AS measured ON measured.id = coalesce(trial.same_as_trial_id, trial.id)
     JOIN session AS unit ON unit.id = measured.session_id;
)sql";

// How much a session's reference kernels drifted.
constexpr const char* kVersion10 = R"sql(
ALTER TABLE session ADD COLUMN drift REAL NOT NULL DEFAULT 0;
)sql";

// Trials that were timed by a part of their kernel.
constexpr const char* kVersion11 = "ALTER TABLE trial ADD COLUMN part_ratio REAL;";

// Records of other tuners, and what a session's search sampled.
constexpr const char* kVersion12 = R"sql(
ALTER TABLE workload ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN funnel TEXT CHECK(funnel IS NULL OR json_valid(funnel));

DROP VIEW result;
CREATE VIEW result AS
SELECT trial.id AS trial_id, trial.session_id, session.task_id, workload.workload, workload.op, workload.dtype,
       workload.parameters, target.target, target.threads, target.machine, target.backend, pipeline.name AS pipeline,
       task.cache, task.pages, task.prepacked, space.template, space.template_version, proposal.config, proposal.knobs,
       proposal.origin, outcome.name AS outcome, trial.message, trial.median_ns, trial.low_ns, trial.high_ns,
       workload.flops / trial.median_ns AS gflops, trial.verified, trial.ended_early, trial.disturbance, unit.rule,
       unit.anchor_trial_id, unit.anchor_ns, unit.code_generator, unit.kernel, unit.microcode, unit.huge_pages,
       unit.plugins, trial.code, trial.same_as_trial_id, trial.recorded_at,
       workload.source
FROM trial JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id
     JOIN session ON session.id = trial.session_id JOIN task ON task.id = session.task_id
     JOIN workload ON workload.id = task.workload_id JOIN target ON target.id = task.target_id
     JOIN pipeline ON pipeline.id = task.pipeline JOIN outcome ON outcome.id = trial.outcome
     JOIN trial AS measured ON measured.id = coalesce(trial.same_as_trial_id, trial.id)
     JOIN session AS unit ON unit.id = measured.session_id;
)sql";

// Networks that were timed as a whole, and the outcomes of sessions without reading their trials.
constexpr const char* kVersion13 = R"sql(
CREATE TABLE network(
  id INTEGER PRIMARY KEY,
  graph TEXT NOT NULL,
  model_graph TEXT NOT NULL,
  model TEXT NOT NULL,
  target TEXT NOT NULL,
  machine TEXT NOT NULL,
  backend TEXT NOT NULL,
  cache TEXT NOT NULL,
  code_generator TEXT NOT NULL,
  variant TEXT NOT NULL CHECK(json_valid(variant)),
  kernels TEXT NOT NULL CHECK(json_valid(kernels)),
  median_ns REAL NOT NULL,
  low_ns REAL NOT NULL,
  high_ns REAL NOT NULL,
  process_medians_ns TEXT NOT NULL CHECK(json_valid(process_medians_ns)),
  before_ns REAL,
  kernels_ns REAL,
  disturbance TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  UNIQUE(graph, target, machine, backend, cache, recorded_at, median_ns)) STRICT;
CREATE INDEX network_by_model ON network(model_graph);
DROP INDEX trial_by_session;
CREATE INDEX trial_by_session ON trial(session_id, median_ns, outcome);
)sql";

constexpr Migration kMigrations[] = {{1, kVersion1},  {2, kVersion2},   {3, kVersion3},   {4, kVersion4},
                                     {5, kVersion5},  {6, kVersion6},   {7, kVersion7},   {8, kVersion8},
                                     {9, kVersion9},  {10, kVersion10}, {11, kVersion11}, {12, kVersion12},
                                     {13, kVersion13}};

}  // namespace

std::span<const Migration> log_migrations() { return kMigrations; }

void refuse_newer_schema(const sqlite::Database& database, int newest) {
  const std::int64_t version = database.pragma("user_version");
  if (version > newest) {
    throw LogError(
        fmt::format("database '{}' has schema version {} but this nestwright knows versions up to {}: use a newer "
                    "nestwright, or give another file with --db",
                    database.path(), version, newest));
  }
}

void migrate(sqlite::Database& database, std::span<const Migration> steps) {
  if (!steps.empty() && database.pragma("user_version") == steps.back().to_version) return;
  sqlite::Transaction transaction(database);
  refuse_newer_schema(database, steps.empty() ? 0 : steps.back().to_version);
  for (const Migration& step : steps) {
    if (database.pragma("user_version") >= step.to_version) continue;
    database.execute(step.sql);
    database.execute(fmt::format("PRAGMA user_version = {}", step.to_version));
  }
  database.execute(fmt::format("PRAGMA application_id = {}", kLogApplicationId));
  transaction.commit();
}

}  // namespace nestwright
