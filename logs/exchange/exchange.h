// Brings trials out of a database and into one, in files that other programs read and write: JSON lines of
// Nestwright's own, which lose nothing, and the formats of other tuners.
//
// Trials that other tuners recorded are foreign (WorkloadKey::source): they are listed, reported and replayed, but
// never answer a query, nor does a model learn from them.
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestwright/database.h"

namespace nestwright {

/// The names of the formats: "jsonl", "kernel-tuner", "t4".
std::vector<std::string> exchange_format_names();

/// What is imported.
struct ImportRequest {
  std::string file;    ///< may be compressed with gzip
  std::string format;  ///< empty: recognised
  /// Names for a file that does not have them; empty: the file's own. A T4 file "convolution/A100_T4.json", as the
  /// benchmark hub has them, is of the kernel "convolution" on the device "A100".
  std::string kernel, device;
};

/// The outcome of an import.
struct ImportReport {
  std::string format;         ///< its name
  std::string workload;       ///< of a foreign file; empty for JSON lines, which may have several
  std::int64_t trials = 0;    ///< added
  std::int64_t known = 0;     ///< not added, because the database has them
  std::int64_t replaced = 0;  ///< of the database, which have the file's measurement now (merge_log())
  std::int64_t sessions = 0;  ///< added
};

/// Adds what the file has to the database, in one transaction; what is there already is not added again. Throws
/// UsageError, one sentence with the file and the place in it, if the file cannot be read, its format is not recognised
/// or it is damaged, and LogError as TuningLog::open() does. Nothing is recorded then.
ImportReport import_records(const std::string& database, const ImportRequest& request, const OpenOptions& options = {});

/// The outcome of an export.
struct ExportReport {
  std::int64_t tasks = 0, trials = 0;
  /// Trials of other sessions whose times cannot be compared with those of the file (ExportedTask).
  std::int64_t left_out = 0;
};

/// Writes the tasks that match into the file, which is compressed if its name ends in ".gz" and replaces an older one
/// when it is complete. Nothing is written if no task matches. Throws UsageError if the format is unknown or holds one
/// task and several match, or if the file cannot be written; LogError as TuningLog::open() does.
ExportReport export_records(const std::string& database, const TaskFilter& filter, const std::string& format,
                            const std::string& file, const OpenOptions& options = {});

}  // namespace nestwright
