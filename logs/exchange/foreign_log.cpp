#include "logs/exchange/foreign_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

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
    : database_(database),
      transaction_(database),
      header_(space.header.dump()),
      bytes_(header_.size()),
      now_(current_time(database)) {
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
  open_session(task, space.source, owner_of(content_hash));
  // A configuration of another file must have the same text here.
  Statement earlier = database.prepare("SELECT knobs FROM proposal WHERE space_id = ? ORDER BY id LIMIT 1");
  if (earlier.bind(space_).step()) order_.sorted(config_from_json(earlier.text(0)));
}

void ForeignSession::open_session(std::int64_t task, const std::string& source, const std::string& owner) {
  Statement same_file = database_.prepare("SELECT id FROM session WHERE task_id = ? AND owner = ? ORDER BY id LIMIT 1");
  is_new_ = !same_file.bind(task, owner).step();
  if (is_new_) {
    database_
        .prepare(
            "INSERT INTO session(task_id, seed, strategy, cost_model, options, status, reason, owner, rule, started_at)"
            " VALUES (?, '0', ?, 'none', '{}', ?, 'imported', ?, ?, ?)")
        .bind(task, source, session_status_name(SessionStatus::kDone), owner, static_cast<int>(ScoringRule::kPaired),
              now_)
        .run();
    session_ = database_.last_insert_id();
  } else {
    session_ = same_file.integer(0);
  }
  Statement batch = database_.prepare("SELECT id FROM batch WHERE session_id = ? AND number = 0");
  if (batch.bind(session_).step()) {
    batch_ = batch.integer(0);
    return;
  }
  database_.prepare("INSERT INTO batch(session_id, number, runner_session_id, committed_at) VALUES (?, 0, ?, ?)")
      .bind(session_, session_, now_)
      .run();
  batch_ = database_.last_insert_id();
}

void ForeignSession::keep(std::int64_t position, std::string rest) {
  bytes_ += rest.size() + std::string_view(R"("1000000":,)").size();
  constexpr std::size_t kMaxBytes = 900'000'000;  // SQLite's limit of a text is 10^9
  if (bytes_ > kMaxBytes) {
    refuse_part("is one too many for a session, which keeps at most 900 MB of fields: divide the file");
  }
  results_[position] = std::move(rest);
}

void ForeignSession::load_kept() {
  Statement kept = database_.prepare(
      "SELECT kept.key, kept.value FROM session, json_each(session.options, '$.results') AS kept WHERE session.id = ?");
  kept.bind(session_);
  while (kept.step()) keep(kept.integer(0), kept.text(1));
}

std::optional<ForeignSession::Place> ForeignSession::propose(const Config& config) {
  // A database into which others were merged may have something else in the position.
  database_
      .prepare(
          "INSERT INTO proposal(batch_id, position, space_id, config, knobs, origin) VALUES (?1,"
          " iif(EXISTS (SELECT 1 FROM proposal WHERE batch_id = ?1 AND position = ?2),"
          "     (SELECT max(position) + 1 FROM proposal WHERE batch_id = ?1), ?2), ?, ?, ?, 'imported')"
          " ON CONFLICT(space_id, config) DO NOTHING")
      .bind(batch_, position_, space_, config.str(), to_json(config))
      .run();
  Statement select = database_.prepare(
      "SELECT id, iif(batch_id = ?3, position, -1) FROM proposal WHERE space_id = ?1 AND config = ?2"
      " AND NOT EXISTS (SELECT 1 FROM trial WHERE proposal_id = proposal.id)");
  if (!select.bind(space_, config.str(), batch_).step()) return std::nullopt;
  return Place{select.integer(0), select.integer(1)};
}

void ForeignSession::add_trial(ProposalId proposal, const ForeignTrial& trial) {
  static const std::string kInsert = fmt::format(
      "INSERT INTO trial(proposal_id, session_id, {}, compile_ms, check_ms, measure_ms, recorded_at) VALUES ({})",
      kMeasurementColumns, placeholders(2 + kMeasurementColumnCount + 4));
  const Measurement& m = trial.measurement;
  Statement insert = database_.prepare(kInsert);
  insert.bind(proposal, session_);
  bind_measurement(insert, m);
  insert.add(m.compile_ms, m.check_ms, m.measure_ms, trial.recorded_at.empty() ? now_ : trial.recorded_at).run();
}

bool ForeignSession::add(const ForeignTrial& trial) {
  ++position_;
  const std::optional<Place> place = propose(order_.sorted(trial.config));
  if (!place) return false;
  if (!is_new_ && results_.empty()) load_kept();
  add_trial(place->proposal, trial);
  if (place->position >= 0) keep(place->position, trial.rest.dump());
  if (is_iso(trial.recorded_at)) {
    if (first_.empty() || trial.recorded_at < first_) first_ = trial.recorded_at;
    last_ = std::max(last_, trial.recorded_at);
  }
  return true;
}

void ForeignSession::finish() {
  std::string options = fmt::format(R"({{"file":{},"results":{{)", header_);
  options.reserve(bytes_ + 100);
  const char* separator = "";
  for (const auto& [position, rest] : results_) {
    options += fmt::format(R"({}"{}":)", separator, position);
    options += rest;
    separator = ",";
  }
  options += "}}";
  database_.prepare("UPDATE session SET options = ? WHERE id = ?").bind(options, session_).run();
  if (is_new_) {  // the start is part of a session's identity
    database_.prepare("UPDATE session SET started_at = ?, ended_at = ? WHERE id = ?")
        .bind(first_.empty() ? now_ : first_, last_.empty() ? now_ : last_, session_)
        .run();
  }
  transaction_.commit();
}

}  // namespace nestwright
