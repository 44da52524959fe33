#include "logs/listing/trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "logs/open_log.h"
#include "logs/task.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr const char* kJoined =
    " JOIN proposal ON proposal.id = trial.proposal_id JOIN space ON space.id = proposal.space_id";

constexpr const char* kSelectRow =
    "SELECT trial.id, trial.session_id, session.task_id, space.template, space.template_version, proposal.config,"
    " proposal.origin, trial.outcome, trial.message, trial.median_ns, trial.low_ns, trial.high_ns, trial.verified,"
    " trial.ended_early, trial.part_ratio, trial.disturbance, trial.largest_error_ratio, trial.compile_ms,"
    " trial.check_ms, trial.measure_ms, trial.code, trial.same_as_trial_id, trial.recorded_at"
    " FROM trial JOIN session ON session.id = trial.session_id JOIN proposal ON proposal.id = trial.proposal_id"
    " JOIN space ON space.id = proposal.space_id WHERE trial.id = ?";

ListedTrial read_trial(const Statement& row, std::size_t task) {
  ListedTrial trial;
  trial.id = row.integer(0);
  trial.session = row.integer(1);
  trial.task = task;
  trial.from = {row.text(3), static_cast<int>(row.integer(4))};
  trial.config = row.text(5);
  trial.origin = row.text(6);
  trial.outcome = static_cast<Outcome>(row.integer(7));
  trial.message = row.text(8);
  trial.median_ns = row.real(9);
  trial.low_ns = row.real(10);
  trial.high_ns = row.real(11);
  trial.verified = row.integer(12) != 0;
  trial.ended_early = row.integer(13) != 0;
  trial.part_ratio = row.real(14);
  trial.disturbance = row.text(15);
  if (!row.is_null(16)) trial.largest_error_ratio = row.real(16);
  trial.compile_ms = row.real(17);
  trial.check_ms = row.real(18);
  trial.measure_ms = row.real(19);
  trial.code = row.text(20);
  trial.same_as = row.integer(21);
  trial.recorded_at = row.text(22);
  return trial;
}

/// Selects the numbers of the trials that match, in the order of the filter, one beyond its limit. `tasks` are the ids
/// of the tasks that match; empty: all do.
std::string select_ids(const TrialFilter& filter, const std::vector<std::int64_t>& tasks) {
  std::string where = "1";
  const auto require = [&](bool is_given, const std::string& condition) {
    if (is_given) where += " AND " + condition;
  };
  // Trials of tasks are found by their sessions. CROSS JOIN keeps this order of the tables, without which SQLite might
  // scan all trials.
  const bool by_session = !tasks.empty() || filter.session != 0;
  require(!tasks.empty(), fmt::format("session.task_id IN ({})", fmt::join(tasks, ", ")));
  require(filter.session != 0, "session.id = :session");
  require(filter.outcome.has_value(), "trial.outcome = :outcome");
  require(!filter.since.empty(), "trial.recorded_at >= :since");
  require(!filter.from_template.empty(), "space.template = :template");
  for (std::size_t i = 0; i < filter.entries.size(); ++i) {
    require(true, fmt::format("instr(' ' || proposal.config || ' ', ' ' || :entry{} || ' ') > 0", i));
  }
  const bool needs_point = !filter.from_template.empty() || !filter.entries.empty();
  return fmt::format(
      "SELECT trial.id FROM {}{} WHERE {} ORDER BY {} LIMIT {}",
      by_session ? "session CROSS JOIN trial ON trial.session_id = session.id" : "trial", needs_point ? kJoined : "",
      where,
      filter.order == TrialOrder::kNumber ? "trial.id DESC" : "trial.median_ns IS NULL, trial.median_ns, trial.id",
      filter.limit > 0 ? filter.limit + 1 : -1);
}

std::vector<TrialId> matching_ids(const Database& database, const TrialFilter& filter,
                                  const std::vector<std::int64_t>& tasks) {
  Statement select = database.prepare(select_ids(filter, tasks));
  select.bind();
  if (filter.session != 0) select.add(filter.session);
  if (filter.outcome) select.add(static_cast<int>(*filter.outcome));
  if (!filter.since.empty()) select.add(filter.since);
  if (!filter.from_template.empty()) select.add(filter.from_template);
  for (const std::string& entry : filter.entries) select.add(entry);
  std::vector<TrialId> ids;
  while (select.step()) ids.push_back(select.integer(0));
  return ids;
}

}  // namespace

TrialListing list_trials(const std::string& path, const TrialFilter& filter, const OpenOptions& options) {
  const Database database = open_log(path, OpenMode::kRead, options);
  TrialListing listing;
  std::map<std::int64_t, std::size_t> index;  // of each task that matches
  for (StoredTask& task : matching_tasks(database, filter.tasks)) {
    index[task.id] = listing.tasks.size();
    listing.tasks.push_back(std::move(task.key));
  }
  if (index.empty()) return listing;
  std::vector<std::int64_t> tasks;
  Statement all = database.prepare("SELECT count(*) FROM task");
  all.step();
  if (static_cast<std::int64_t>(index.size()) != all.integer(0)) {
    for (const auto& [task, at] : index) tasks.push_back(task);
  }
  std::vector<TrialId> ids = matching_ids(database, filter, tasks);
  listing.is_cut = filter.limit > 0 && static_cast<std::int64_t>(ids.size()) > filter.limit;
  if (listing.is_cut) ids.pop_back();
  if (filter.order == TrialOrder::kNumber) std::reverse(ids.begin(), ids.end());
  Statement select = database.prepare(kSelectRow);
  for (const TrialId id : ids) {
    if (!select.bind(id).step()) continue;
    const auto task = index.find(select.integer(2));
    if (task != index.end()) listing.trials.push_back(read_trial(select, task->second));
  }
  return listing;
}

}  // namespace nestwright
