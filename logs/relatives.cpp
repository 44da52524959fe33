// TuningLog's query for trials of other shapes and other compilers, from which a search can learn.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "logs/best.h"
#include "logs/encode.h"
#include "logs/state.h"
#include "logs/task.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;

/// The most trials of one related task; the latest ones count.
constexpr int kMaxRelatedTrials = 2000;

/// Selects the sessions that proposed trials of a task, the latest ones first.
constexpr const char* kSelectSessions =
    "SELECT id FROM session WHERE task_id = :task ORDER BY started_at DESC, id DESC";

/// Selects only the columns for choosing among the trials of a session, because decoding all configurations and
/// readings takes ten times as long. The joins are in the order in which SQLite follows them backwards through its
/// indices, so that it does not read older rows than the last ones.
const std::string& select_related() {
  static const std::string select = fmt::format(
      "SELECT trial.id, trial.median_ns, unit.id, unit.rule, unit.anchor_trial_id, unit.anchor_ns"
      " FROM batch CROSS JOIN proposal ON proposal.batch_id = batch.id CROSS JOIN trial ON trial.proposal_id = "
      "proposal.id"
      " CROSS JOIN session AS unit ON unit.id = trial.session_id"
      " WHERE batch.session_id = :session AND proposal.space_id IN (SELECT space.id FROM space WHERE {0})"
      " AND trial.outcome = 0 AND trial.same_as_trial_id IS NULL AND trial.median_ns > 0 AND trial.disturbance = ''"
      " ORDER BY batch.number DESC, proposal.position DESC LIMIT :limit",
      kTemplateMatches);
  return select;
}

/// Returns the largest group of trials with comparable times, of the last trials. `templates` is in the form of
/// encode_templates().
RelatedTask read_related(const Database& database, const StoredTask& task, const std::string& templates) {
  using Timed = std::pair<TrialId, double>;
  std::map<std::int64_t, std::vector<Timed>> groups;
  Statement sessions = database.prepare(kSelectSessions), rows = database.prepare(select_related());
  sessions.bind(task.id);
  int left = kMaxRelatedTrials;
  while (left > 0 && sessions.step()) {
    rows.bind(sessions.integer(0), templates, left);
    for (; rows.step(); --left) {
      const double anchor_ns = rows.real(5);
      const bool has_anchor = static_cast<ScoringRule>(rows.integer(3)) == ScoringRule::kPaired && anchor_ns > 0;
      groups[has_anchor ? rows.integer(4) : -rows.integer(2)].emplace_back(rows.integer(0),
                                                                           rows.real(1) / (has_anchor ? anchor_ns : 1));
    }
  }
  RelatedTask related{task.key.workload, {}, {}};
  if (groups.empty()) return related;
  std::vector<Timed>& largest =
      std::ranges::max_element(groups, {}, [](const auto& group) { return group.second.size(); })->second;
  std::ranges::reverse(largest);  // into the order of recording, which ties keep
  std::ranges::stable_sort(largest, {}, &Timed::second);
  for (const auto& [trial, time] : largest) {
    related.trials.push_back(trial);
    related.times.push_back(time);
  }
  return related;
}

}  // namespace

std::vector<RelatedTask> TuningLog::relatives(const TaskKey& task, int tasks,
                                              const std::vector<TemplateVersion>& templates) const {
  // The same workload, compiled by another version or for the former target, comes before other shapes.
  TaskFilter same_operator = filter_of(task);
  same_operator.backend.clear();
  std::vector<StoredTask> near;
  for (StoredTask& other : matching_tasks(state_->database, same_operator)) {
    if (other.key.backend != task.backend) near.push_back(std::move(other));
  }
  if (!task.former_target.empty()) {
    TaskFilter former = same_operator;
    former.target = task.former_target;
    for (StoredTask& other : matching_tasks(state_->database, former)) near.push_back(std::move(other));
  }
  same_operator.workload.clear();
  same_operator.backend = task.backend;
  for (auto& [distance, other] : tasks_by_distance(state_->database, task.workload, same_operator)) {
    near.push_back(std::move(other));
  }
  std::vector<RelatedTask> found;
  for (const StoredTask& other : near) {
    if (static_cast<int>(found.size()) >= tasks) break;
    if (other.key.pipeline != task.pipeline) continue;
    RelatedTask related = read_related(state_->database, other, encode_templates(templates));
    if (!related.trials.empty()) found.push_back(std::move(related));
  }
  return found;
}

}  // namespace nestwright
