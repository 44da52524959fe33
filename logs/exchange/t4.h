// The T4 format of recorded trials (logs/exchange/t4_entry.h says where it is defined, and describes a result):
//
//   {"schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds", "device": "A100", "autotuner": "KTT"},
//    "results": [RESULT, ...]}
//
// Kernel Tuner's files have no metadata, or only the unit of times: then the kernel and the device have the names of
// the request, or those of the file's path.
// Thread rule: any thread.
#pragma once

#include <string_view>
#include <vector>

#include "logs/exchange/file_format.h"

namespace nestwright {

bool recognises_t4(std::string_view head);
ImportReport import_t4(const std::string& database, const ImportRequest& request, const OpenOptions& options);
ExportReport write_t4(const sqlite::Database& database, const std::vector<StoredTask>& tasks, OutputFile& file);

}  // namespace nestwright
