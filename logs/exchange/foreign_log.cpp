#include "logs/exchange/foreign_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "logs/encode.h"
#include "logs/state.h"
#include "logs/task.h"
#include "nestwright/error.h"
#include "space/config_json.h"

namespace nestwright {
namespace {

using sqlite::Statement;

/// The text with white space, commas and control characters replaced, so that it is one word of a key.
std::string as_word(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c <= ' ' || c == ',' || c == 0x7f; }, '_');
  return text;
}

/// "file 1a2b...", the identity of a file by its contents.
std::string owner_of(std::uint64_t content_hash) { return fmt::format("file {:016x}", content_hash); }

std::string current_time(const sqlite::Database& database) {
  Statement select = database.prepare(fmt::format("SELECT {}", kNow));
  select.bind().step();
  return select.text(0);
}

bool is_iso(const std::string& time) { return time.size() > 10 && time[10] == 'T' && time.ends_with('Z'); }

}  // namespace

TaskKey foreign_task(const ForeignSpace& space) {
  TaskKey task;
  WorkloadKey& workload = task.workload;
  workload.source = space.source;
  workload.op = "kernel_tuner:" + as_word(space.kernel);
  workload.text = workload.op;
  workload.dtype = "unknown";
  if (!space.problem_size.empty()) {
    workload.parameters.push_back({"problem_size", space.problem_size, true});
    workload.text += " problem_size=" + space.problem_size;
  }
  task.machine = space.device.empty() ? "unknown" : space.device;
  task.target = "foreign,device=" + as_word(task.machine);
  task.backend = space.tuner.empty() ? "unknown" : space.tuner;
  task.cache = task.pages = "unknown";
  return task;
}

ForeignSession::ForeignSession(sqlite::Database& database, const ForeignSpace& space, std::uint64_t content_hash)
    : database_(database), transaction_(database), header_(space.header.dump()), now_(current_time(database)) {
  const TaskKey key = foreign_task(space);
  const std::int64_t task = ensure_task(database, key);
  Statement source = database.prepare("SELECT source FROM workload WHERE workload = ?");
  if (source.bind(key.workload.text).step() && source.text(0) != key.workload.source) {
    throw UsageError(
        fmt::format("database '{}' has records of {} from another format ({}): give another name with"
                    " --kernel, or another file with --db",
                    database.path(), key.workload.text, source.text(0)));
  }
  space_ = ensure_space(database, task, {key.workload.op, 1});
  Statement recorded = database.prepare("SELECT 1 FROM session WHERE task_id = ? AND owner = ?");
  is_recorded_ = recorded.bind(task, owner_of(content_hash)).step();
  if (is_recorded_) return;
  database
      .prepare(
          "INSERT INTO session(task_id, seed, strategy, cost_model, options, status, reason, owner, rule, started_at)"
          " VALUES (?, '0', ?, 'none', '{}', ?, 'imported', ?, ?, ?)")
      .bind(task, space.source, session_status_name(SessionStatus::kDone), owner_of(content_hash),
            static_cast<int>(ScoringRule::kPaired), now_)
      .run();
  session_ = database.last_insert_id();
  database.prepare("INSERT INTO batch(session_id, number, runner_session_id, committed_at) VALUES (?, 0, ?, ?)")
      .bind(session_, session_, now_)
      .run();
  batch_ = database.last_insert_id();
  // A configuration of another file must have the same text here.
  Statement earlier = database.prepare("SELECT knobs FROM proposal WHERE space_id = ? ORDER BY id LIMIT 1");
  if (earlier.bind(space_).step()) order_.sorted(config_from_json(earlier.text(0)));
}

bool ForeignSession::add(const ForeignTrial& trial) {
  const Config config = order_.sorted(trial.config);
  database_
      .prepare(
          "INSERT INTO proposal(batch_id, position, space_id, config, knobs, origin) VALUES (?, ?, ?, ?, ?, ?)"
          " ON CONFLICT(space_id, config) DO NOTHING")
      .bind(batch_, position_, space_, config.str(), to_json(config), "imported")
      .run();
  if (database_.changed_rows() == 0) {
    Statement there = database_.prepare("SELECT batch_id FROM proposal WHERE space_id = ? AND config = ?");
    if (there.bind(space_, config.str()).step() && there.integer(0) == batch_) {
      refuse_part(fmt::format("has a configuration that was there before: {}", config.str()));
    }
    return false;
  }
  const ProposalId proposal = database_.last_insert_id();
  static const std::string kInsert = fmt::format(
      "INSERT INTO trial(proposal_id, session_id, {}, compile_ms, check_ms, measure_ms, recorded_at) VALUES ({})",
      kMeasurementColumns, placeholders(2 + kMeasurementColumnCount + 4));
  const Measurement& m = trial.measurement;
  Statement insert = database_.prepare(kInsert);
  insert.bind(proposal, session_);
  bind_measurement(insert, m);
  insert.add(m.compile_ms, m.check_ms, m.measure_ms, trial.recorded_at.empty() ? now_ : trial.recorded_at).run();
  if (position_ > 0) results_ += ',';
  results_ += trial.rest.dump();
  constexpr std::size_t kMaxBytes = 900'000'000;  // SQLite's limit of a text is 10^9
  if (header_.size() + results_.size() > kMaxBytes) {
    refuse_part("is one too many for a session, which keeps at most 900 MB of fields: divide the file");
  }
  if (is_iso(trial.recorded_at)) {
    if (first_.empty() || trial.recorded_at < first_) first_ = trial.recorded_at;
    last_ = std::max(last_, trial.recorded_at);
  }
  ++position_;
  return true;
}

void ForeignSession::finish() {
  database_.prepare("UPDATE session SET options = ?, started_at = ?, ended_at = ? WHERE id = ?")
      .bind(fmt::format(R"({{"file":{},"results":[{}]}})", header_, results_), first_.empty() ? now_ : first_,
            last_.empty() ? now_ : last_, session_)
      .run();
  transaction_.commit();
}

}  // namespace nestwright
