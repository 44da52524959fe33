// What a format of recorded trials consists of, and the list of all. To add one: a file with these functions, and an
// entry of file_formats(). Private to logs/exchange.
// Thread rule: constants.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "logs/exchange/exchange.h"
#include "logs/exchange/files/output_file.h"
#include "logs/sqlite/database.h"
#include "logs/task.h"

namespace nestwright {

struct FileFormat {
  const char* name;  ///< on the command line
  bool has_many_tasks;
  /// Whether a file that begins with `head`, some kilobytes, may be one.
  bool (*recognises)(std::string_view head);
  /// Sets the fields of ImportReport but the format.
  ImportReport (*import)(const std::string& database, const ImportRequest& request, const OpenOptions& options);
  /// Writes the tasks, one or more. Sets the fields of ExportReport but `tasks`.
  ExportReport (*write)(const sqlite::Database& database, const std::vector<StoredTask>& tasks, OutputFile& file);
};

/// All formats, in the order in which they are tried.
std::span<const FileFormat> file_formats();

}  // namespace nestwright
