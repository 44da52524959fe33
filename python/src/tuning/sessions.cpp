// Tuning sessions: of one task, and of several on one budget.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "forks.h"
#include "nestwright/device.h"
#include "nestwright/error.h"
#include "nestwright/lookup.h"
#include "tuning/options.h"
#include "tuning/records.h"
#include "tuning/supervised.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

nb::dict dict_of_outcomes(const std::map<Outcome, std::int64_t>& outcomes) {
  nb::dict dict;
  for (const auto& [outcome, count] : outcomes) dict[outcome_name(outcome)] = count;
  return dict;
}

nb::dict dict_of_result(const SessionResult& result) {
  nb::dict dict;
  dict["best"] = result.best ? nb::object(dict_of(*result.best)) : nb::none();
  dict["default"] = result.default_timing ? nb::object(dict_of(*result.default_timing)) : nb::none();
  dict["trial_count"] = result.trials;
  dict["earlier_trials"] = result.earlier_trials;
  dict["outcomes"] = dict_of_outcomes(result.outcomes);
  dict["race_disturbance"] = result.race_disturbance;
  dict["first_failure"] = result.first_failure;
  dict["seconds"] = result.seconds;
  dict["seconds_to_best"] = result.seconds_to_best;
  dict["stop_reason"] = result.stop_reason;
  dict["interrupted"] = result.interrupted;
  return dict;
}

nb::dict tune(const Workload& workload, const std::string& database, const std::string& target,
              const std::string& caches, const nb::dict& given, nb::object on_progress) {
  require_threads();
  const SessionOptions options = options_from(given);
  Supervised session(std::move(on_progress), Supervised::Interruption::kKeepsTheResult);
  return dict_of_result(session.run([&] {
    const TaskContext context = context_of(session.errors(), workload, target, caches);
    context.templates(options.template_name);  // throws before a database is created
    TuningLog log = TuningLog::open(database, OpenMode::kWrite);
    return run_session(context, log, options, &session.interrupt(),
                       [&](const Progress& progress) { session.report({progress}); });
  }));
}

/// A task of several, as the package hands it over.
struct GivenTask {
  std::string label;
  Workload workload;
  double weight = 1;
  std::string place;  ///< of a file, begins the sentence that refuses the task; empty: the task is left out
};

GivenTask task_from(nb::handle given) {
  return {nb::cast<std::string>(given[0]), nb::cast<Workload>(given[1]), nb::cast<double>(given[2]),
          nb::cast<std::string>(given[3])};
}

/// The tasks that can be tuned.
struct TaskList {
  std::vector<ListedTask> tasks;
  std::vector<std::size_t> given;  ///< index of each
  std::vector<std::string> notes;  ///< why others are left out, a sentence each
};

/// Throws UsageError if no template of the task has a legal schedule.
void require_templates(const TaskContext& context) {
  for (const Template* source : context.templates()) {
    if (!context.seeds(*source).empty()) return;
  }
  look_up(context, nullptr);
}

TaskList listed(const std::vector<GivenTask>& given, const SharedRunErrors& errors, const std::string& target,
                const std::string& caches) {
  TaskList list;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const GivenTask& task = given[i];
    try {
      const TaskContext context = context_of(errors, task.workload, target, caches);
      require_templates(context);
      list.tasks.push_back({task.label, context, task.weight});
      list.given.push_back(i);
    } catch (const UsageError& e) {
      if (!task.place.empty()) throw UsageError(task.place + ": " + e.what());
      list.notes.push_back("the kernel " + task.label + " is not tuned: " + e.what());
    }
  }
  return list;
}

/// What a callback is told while `tasks` are tuned.
News news_of(const SharedProgress& shared, const std::vector<ListedTask>& tasks) {
  Progress progress;
  progress.trials = shared.trials;
  progress.outcomes = shared.outcomes;
  progress.best_ns = shared.best_ns;
  progress.seconds = shared.seconds;
  progress.seconds_left = shared.seconds_left;
  if (shared.races_left > 0) {
    progress.phase = "final races";
    progress.detail = std::to_string(shared.races_left) + " of " + std::to_string(tasks.size()) + " left";
  }
  return {progress, tasks[shared.task].label, shared.whole_ns, shared.tuned_share};
}

nb::dict tune_all(nb::handle given_tasks, const std::string& database, const std::string& target,
                  const std::string& caches, const nb::dict& given_options, nb::object on_progress, bool total_time) {
  require_threads();
  const SessionOptions options = options_from(given_options);
  const ListObjective objective = total_time ? ListObjective::kTotalTime : ListObjective::kRelativeTimes;
  const TargetAndCaches checked = target_and_caches(target, caches);
  std::vector<GivenTask> given;
  for (nb::handle task : nb::borrow<nb::sequence>(given_tasks)) given.push_back(task_from(task));
  struct Tuned {
    TaskList list;
    std::vector<TaskOutcome> outcomes;
  };
  Supervised session(std::move(on_progress), Supervised::Interruption::kKeepsTheResult);
  const Tuned tuned = session.run([&] {
    TaskList list = listed(given, session.errors(), target, caches);
    if (list.tasks.empty()) return Tuned{std::move(list), {}};
    TuningLog log = TuningLog::open(database, OpenMode::kWrite);
    std::vector<TaskOutcome> outcomes = tune_tasks(
        list.tasks, log, options, &session.interrupt(),
        [&](const SharedProgress& progress) { session.report(news_of(progress, list.tasks)); }, objective);
    return Tuned{std::move(list), std::move(outcomes)};
  });
  nb::list results;
  for (std::size_t i = 0; i < tuned.outcomes.size(); ++i) {
    nb::dict result = dict_of_result(tuned.outcomes[i].result);
    result["started"] = tuned.outcomes[i].started;
    result["failure"] = tuned.outcomes[i].failure;
    results.append(nb::make_tuple(tuned.list.given[i], result));
  }
  nb::dict dict;
  dict["tasks"] = results;
  dict["notes"] = tuned.list.notes;
  dict["target"] = checked.target.str();
  dict["interrupted"] = session.interrupt().load();
  return dict;
}

}  // namespace

void bind_tuning(nb::module_& m) {
  m.def("_tune", tune, nb::arg("workload"), nb::arg("database"), nb::arg("target"), nb::arg("caches"),
        nb::arg("options"), nb::arg("on_progress").none());
  m.def("_tune_all", tune_all, nb::arg("tasks"), nb::arg("database"), nb::arg("target"), nb::arg("caches"),
        nb::arg("options"), nb::arg("on_progress").none(), nb::arg("total_time"),
        "Tunes tasks on one budget. tasks: a label, a workload, a weight and a place in a file, or \"\", of each. "
        "total_time: weights are numbers of calls, and the time of all calls counts.");
}

}  // namespace nestwright::python
