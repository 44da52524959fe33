// The trials of one task of the database, as files of other tuners have them. Private to logs/exchange.
// Thread rule: as for the database.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "logs/exchange/foreign.h"
#include "logs/sqlite/database.h"
#include "logs/task.h"

namespace nestwright {

/// A task that is exported. Of a task of Nestwright's own, the trials are those whose times are comparable with times
/// of its latest session that has a unit, and their times are in the unit of that session (SessionUnit); without such
/// a session, those of the latest session.
class ExportedTask {
 public:
  ExportedTask(const sqlite::Database& database, StoredTask task);
  const TaskKey& key() const { return task_.key; }
  /// ForeignSpace::header of the latest file that was imported; null for a task of Nestwright's own.
  const nlohmann::ordered_json& header() const { return header_; }
  /// Calls `f` with each trial, in the order of recording, or of their files. Knobs of several values are divided, as
  /// tile[4,2] into tile_0=4 and tile_1=2, and the first knob is the template. Failed trials are included.
  void for_each(const std::function<void(const ForeignTrial&)>& f) const;
  /// Trials with times that are not comparable, which for_each() leaves out.
  std::int64_t left_out() const { return left_out_; }

 private:
  const sqlite::Database& database_;
  StoredTask task_;
  SessionId base_ = 0;  ///< the session in whose unit times are; 0: the task is of another tuner, or has no session
  nlohmann::ordered_json header_;
  std::int64_t left_out_ = 0;
};

}  // namespace nestwright
