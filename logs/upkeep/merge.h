// Merges a database into another one. Keys stay as they are, so records of different machines, targets and compilers
// stay apart. Merging a database again adds nothing.
// Thread rule: pure functions; any number of processes on one file.
#pragma once

#include <cstdint>
#include <string>

#include "nestwright/database.h"

namespace nestwright {

/// What a merge has added.
struct MergeResult {
  std::int64_t tasks = 0, sessions = 0, trials = 0, races = 0;
  std::int64_t replaced = 0;  ///< trials of `to` that have the measurement of `from` now
};

/// Adds everything in the database `from` to the database `to`, which is created if it does not exist, in one
/// transaction: whenever the process dies, `to` has all of it or nothing. `from` is not changed.
///
/// A session is identified by its task, seed, start and owner, a race by its session and time, a trial by its task,
/// template and configuration. Where both databases have a trial, the sounder measurement stays (soundness_of()), then
/// the one with more samples, then the later one; a trial that was measured is better than one that takes another one's
/// measurement. So it does not matter which database is merged into which.
///
/// Throws LogError as TuningLog::open() does, if the two are the same file, if a process is working on a session of one
/// of them, and if they have the same workload from different sources (WorkloadKey::source).
MergeResult merge_log(const std::string& from, const std::string& to, const OpenOptions& options = {});

}  // namespace nestwright
