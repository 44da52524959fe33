#include <fmt/format.h>

#include "logs/open_log.h"
#include "logs/state.h"
#include "nestwright/database.h"
#include "nestwright/error.h"

namespace nestwright {

TuningLog::TuningLog(std::unique_ptr<State> state) : state_(std::move(state)) {}
TuningLog::TuningLog(TuningLog&&) noexcept = default;
TuningLog& TuningLog::operator=(TuningLog&&) noexcept = default;
TuningLog::~TuningLog() = default;

TuningLog TuningLog::open(const std::string& path, OpenMode mode, const OpenOptions& options) {
  sqlite::Database database = open_log(path, mode, options);
  return TuningLog(std::make_unique<State>(State{std::move(database), SessionLocks(real_file(path))}));
}

const std::string& TuningLog::path() const { return state_->database.path(); }

std::string Point::key() const { return fmt::format("{} v{} {}", template_name, version, config.str()); }

const char* match_name(MatchKind match) {
  switch (match) {
    case MatchKind::kExact:
      return "exact";
    case MatchKind::kOtherMachine:
      return "other_machine";
    case MatchKind::kNearest:
      return "nearest";
    case MatchKind::kDefault:
      return "default";
    case MatchKind::kGiven:
      return "given";
  }
  throw InternalError("internal error: match kind out of range");
}

}  // namespace nestwright
