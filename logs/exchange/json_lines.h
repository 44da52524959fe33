// Nestwright's own format of records, which loses nothing: a JSON object a line, as logs/EXCHANGE.md describes it.
//
//   {"format":"nestwright records","version":1,"schema":13}
//   {"table":"target","id":1,"target":"cpu,isa=avx512,threads=2","machine":"...","backend":"LLVM 19.1.7","threads":2}
//   ...
//   {"rows":17}
//
// A line is a row, with its columns by name; rows that others refer to come first. A database that gets all lines of
// a file has the same rows with the same numbers, and its export is the same text.
// Thread rule: any thread.
#pragma once

#include <string_view>
#include <vector>

#include "logs/exchange/file_format.h"

namespace nestwright {

bool recognises_json_lines(std::string_view head);
ImportReport import_json_lines(const std::string& database, const ImportRequest& request, const OpenOptions& options);
ExportReport write_json_lines(const sqlite::Database& database, const std::vector<StoredTask>& tasks, OutputFile& file);

}  // namespace nestwright
