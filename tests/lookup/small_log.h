// A database with one tuned workload, written without tuning.
#pragma once

#include <string>

#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "nestwright/lookup.h"
#include "nestwright/registry.h"
#include "tests/logs/sample.h"

namespace nestwright {

/// Records a session for the task in which its default configuration took `median_ns`, by default as this build and
/// machine would. Returns that configuration.
inline Config record_default(TuningLog& log, const Task& task, double median_ns,
                             const RecordProvenance& made_by = current_provenance(nullptr)) {
  const Lookup fallback = look_up(task, nullptr);
  const TaskKey key = task_key(task);
  SessionInfo made = info();
  made.made_by = made_by;
  const SessionId session = log.begin_session(key, made);
  const Point point{fallback.source->name, fallback.source->version, fallback.config};
  const Batch batch = log.commit_batch(session, log.next_batch_number(key), {point});
  log.set_incumbent(session, log.record(session, batch.ids.at(0), timed(median_ns)));
  log.end_session(session, SessionStatus::kDone, "made up");
  return fallback.config;
}

/// Writes a log for matmul m=32 n=32 k=32 on this host.
inline Config make_small_log(const std::string& path) {
  TuningLog log = TuningLog::open(path, OpenMode::kWrite);
  return record_default(log, {parse_workload("matmul m=32 n=32 k=32"), Target::host()}, 1000);
}

}  // namespace nestwright
