// Imports a file of another tuner that has one long list of trials, in three passes: what the file says of all trials
// may stand behind them, and a database is opened only for a file that is right. Private to logs/exchange.
// Thread rule: any thread.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "logs/exchange/exchange.h"
#include "logs/exchange/foreign.h"

namespace nestwright {

/// How the entries of a format become trials.
struct ForeignFile {
  std::string container;      ///< the field with the entries: "results"
  std::string entry;          ///< what the format calls one: "result"
  bool may_end_open = false;  ///< EntryHandlers::may_end_open
  /// Returns what the file says of all trials, from its fields but the container.
  std::function<ForeignSpace(const nlohmann::ordered_json& header)> space;
  /// Throws as refuse_part() does. `name` is the entry's if the container is an object.
  std::function<ForeignTrial(const nlohmann::ordered_json& header, const std::string& name,
                             const nlohmann::ordered_json& entry)>
      trial;
};

ImportReport import_foreign_file(const std::string& database, const ImportRequest& request, const OpenOptions& options,
                                 const ForeignFile& format);

/// Throws UsageError if the header has a "schema_version" that does not begin with "1.".
void require_version_1(const nlohmann::ordered_json& header, const std::string& path);

}  // namespace nestwright
