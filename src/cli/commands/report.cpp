#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "cli/commands/log/selection.h"
#include "cli/commands/model_tasks.h"
#include "cli/commands/tune_file.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/model_options.h"
#include "cli/output/record_output.h"
#include "cli/output/shell_command.h"
#include "cli/output/throughput.h"
#include "cli/output/tune_output.h"
#include "logs/exchange/files/output_file.h"
#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"
#include "nestwright/text_operator.h"
#include "report/page/page.h"
#include "report/pictures/overview.h"
#include "report/task_page.h"
#include "report/trial_table.h"
#include "search/task/timing_lock.h"
#include "support/base/shell_word.h"
#include "support/os/machine_lock.h"

namespace nestwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTrials = 100'000;  // that a page has, of all its tasks
constexpr std::size_t kMinTrials = 200;      // of one task, however many there are
constexpr std::size_t kMaxDetailed = 4;      // tasks whose kernels are lowered and whose knobs are judged

struct ReportOptions {
  CommonOptions common;
  ModelOptions model;
  std::string file, out, compare;
  std::string format = "html";
  bool all = false, with_paths = false, has_target = false;
};

/// The tasks that the words, --file or --all name, by the key's texts.
struct Selected {
  std::vector<TaskFilter> filters;
  bool is_named = false;   ///< not --all
  std::string what;        ///< for the title
  std::string conditions;  ///< " on TARGET --caches STATE", as far as they were given
  std::string wrong;       ///< why the words are no workload, one sentence; empty: they are
  std::vector<NetworkTask> network;
  std::map<std::string, std::string> labels;  ///< of workloads that have one
};

/// Each word that has a space is a workload of its own.
std::vector<CommonOptions> each_workload(const CommonOptions& common) {
  const auto has_space = [](const std::string& word) { return word.find(' ') != std::string::npos; };
  if (common.workload.size() < 2 || std::none_of(common.workload.begin(), common.workload.end(), has_space)) {
    return {common};
  }
  std::vector<CommonOptions> each;
  for (const std::string& word : common.workload) {
    each.push_back(common);
    each.back().workload = {word};
  }
  return each;
}

Selected select_tasks(const ReportOptions& options) {
  const CommonOptions& common = options.common;
  const int given = (common.has_workload() ? 1 : 0) + (options.file.empty() ? 0 : 1) + (options.all ? 1 : 0);
  if (given == 0) throw UsageError("nothing is chosen: give a workload, a model, --file or --all");
  if (given > 1) throw UsageError("give one of a workload or model, --file and --all, not several");
  Selected selected;
  selected.is_named = !options.all;
  if (!options.model.is_empty() && !is_model(common)) {
    throw UsageError("--dim and --constant are for models: leave them out");
  }
  TaskFilter conditions;
  if (options.has_target) conditions.target = common.parsed_target().str();
  if (common.caches) conditions.cache = cache_state_name(parse_cache_state(*common.caches));
  if (options.has_target) selected.conditions = " on " + conditions.target;
  if (common.caches) selected.conditions += " --caches " + conditions.cache;
  if (options.all) {
    conditions.with_foreign = true;
    selected.filters.push_back(conditions);
    selected.what = "all tasks";
    return selected;
  }
  if (is_model(common)) {
    const TuningLog log = open_database(common, OpenMode::kRead);
    selected.network = network_tasks(kernels_of_model(common, options.model, &log, false).kernels);
    for (const NetworkTask& task : selected.network) {
      selected.labels.emplace(task.workload, task.label);
      conditions.workload = task.workload;
      selected.filters.push_back(conditions);
    }
    selected.what = fs::path(model_path(common)).filename().string();
    return selected;
  }
  if (!options.file.empty()) {
    const Target target = common.parsed_target();
    for (const ListedTask& task :
         read_tasks(options.file, common.registry(), target, common.parsed_caches(target)).tasks) {
      conditions.workload = task.context.workload().str();
      selected.labels.emplace(conditions.workload, task.label);
      selected.filters.push_back(conditions);
    }
    selected.what = fs::path(options.file).filename().string();
    return selected;
  }
  for (const CommonOptions& one : each_workload(common)) {
    const TaskSelection selection = task_selection(one, options.has_target);
    selected.filters.push_back(selection.filter);
    selected.filters.back().cache = conditions.cache;
    if (selected.wrong.empty()) selected.wrong = selection.not_a_workload;
    selected.what += (selected.what.empty() ? "" : ", ") + one.workload_text();
  }
  if (selected.what.empty()) selected.what = common.expression;
  return selected;
}

/// The tasks of a database that were selected.
struct FoundTasks {
  std::vector<RecordedTask> tasks;   ///< each once
  std::vector<std::string> without;  ///< the workloads or operators for which none has trials
};

FoundTasks tasks_of(const LogReader& reader, const Selected& selected) {
  FoundTasks found;
  for (const TaskFilter& filter : selected.filters) {
    bool is_any = false;
    for (RecordedTask& task : reader.tasks(filter)) {
      if (task.totals.trials == 0) continue;
      is_any = true;
      const bool is_new = std::ranges::find(found.tasks, task.id, &RecordedTask::id) == found.tasks.end();
      if (is_new) found.tasks.push_back(std::move(task));
    }
    if (!is_any) found.without.push_back(filter.workload.empty() ? filter.op : filter.workload);
  }
  return found;
}

/// The task of this program; absent if it does not have the operator.
std::optional<TaskContext> context_of(const TaskKey& key, const Registry& registry) {
  if (!key.workload.source.empty()) return std::nullopt;
  try {
    TaskContext context(
        Task{parse_any_workload(registry, key.workload.text), Target::parse(key.target), parse_cache_state(key.cache)});
    context.templates();
    return context;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The GB/s that the target's threads read from memory now; 0 for a device, and while a tuner has the machine, which
/// the measurement would disturb, and it the measurement.
double memory_rate(const Target& target) {
  if (target.device != DeviceKind::kCpu) return 0;
  MachineLock lock(timing_lock_name(target));
  const MachineLock::Hold hold = lock.hold([] { return true; });
  return hold.is_granted() ? measure_read_rate(target, 1e9) : 0;
}

/// Adds what this program knows of the task. `is_detailed`: its kernels may be lowered.
void complete(report::TaskData& data, const Registry& registry, const ReportOptions& options, bool is_detailed) {
  const TaskKey& key = data.task.key;
  const std::optional<TaskContext> context = context_of(key, registry);
  if (!context) return;
  data.bytes = work_of(context->workload()).bytes;
  if (is_detailed) data.context = context;
  const bool is_here = key.machine == machine_of(context->target());
  if (is_detailed && is_here) data.memory_gb_s = memory_rate(context->target());
  // How much faster other types are is measured.
  if (is_here) data.peak_gflops = peak_of(context->task(), data.limits.fma_gflops);
  if (!is_here && key.workload.dtype == "float32") data.peak_gflops = data.limits.fma_gflops;
  const std::string database = options.with_paths ? " --db " + shell_word(options.common.db) : "";
  const auto command = [&](const char* name) { return task_command(name, context->task()) + database; };
  data.measure_command = command("measure");
  data.commands = {command("tune"), command("query"), command("explain"),
                   command("export") + " --out FOLDER --name NAME"};
}

/// Names that differ: the label or workload and, where several tasks have one, what distinguishes them.
std::vector<std::string> task_names(const std::vector<RecordedTask>& tasks, const Selected& selected) {
  std::vector<std::string> names;
  for (const RecordedTask& task : tasks) {
    const auto label = selected.labels.find(task.key.workload.text);
    names.push_back(label == selected.labels.end() ? task.key.workload.text : label->second);
  }
  const auto distinguish = [&](const std::function<std::string(const TaskKey&)>& by) {
    const std::vector<std::string> before = names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::count(before.begin(), before.end(), before[i]) > 1) names[i] += by(tasks[i].key);
    }
  };
  distinguish([](const TaskKey& key) { return fmt::format(" on {}{}", key.target, caches_arguments(key)); });
  distinguish([](const TaskKey& key) { return ", " + key.backend; });
  distinguish([](const TaskKey& key) { return ", " + key.machine; });
  return names;
}

/// What a report is made of.
struct ReportContent {
  std::vector<report::TaskData> tasks;
  std::vector<report::TaskPage> pages;  ///< of each task, to which its trials have moved; none for other formats
  std::vector<std::string> without;     ///< FoundTasks::without
};

ReportContent read_content(const Selected& selected, const ReportOptions& options) {
  const LogReader reader(options.common.db, database_options());
  const TuningLog log = open_database(options.common, OpenMode::kRead);
  FoundTasks found = tasks_of(reader, selected);
  const std::vector<RecordedTask>& tasks = found.tasks;
  const std::vector<std::string> names = task_names(tasks, selected);
  const Registry registry = options.common.registry();
  const bool is_page = options.format == "html";
  const bool is_detailed = is_page && selected.is_named && tasks.size() <= kMaxDetailed;
  const std::size_t share = std::max(kMinTrials, kMaxTrials / std::max<std::size_t>(1, tasks.size()));
  ReportContent content;
  content.without = std::move(found.without);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    report::TaskData data = report::read_task(reader, log, tasks[i]);
    data.name = names[i];
    complete(data, registry, options, is_detailed);
    if (!options.with_paths) report::hide_paths(data);
    if (is_page) content.pages.push_back(report::task_page(data, share));
    content.tasks.push_back(std::move(data));
  }
  return content;
}

/// The bests alone of the selected tasks in another database.
std::vector<report::TaskData> read_bests_of(const std::string& database, const Selected& selected,
                                            const ReportOptions& options) {
  CommonOptions common = options.common;
  common.db = database;
  const TuningLog log = open_database(common, OpenMode::kRead);
  std::vector<report::TaskData> read;
  for (RecordedTask& task : tasks_of(LogReader(database, database_options()), selected).tasks) {
    report::TaskData data;
    data.best = log.best(filter_of(task.key));
    data.task = std::move(task);
    read.push_back(std::move(data));
  }
  return read;
}

std::string conditions_of(const TaskKey& key) { return key.target + caches_arguments(key) + ", " + key.machine; }

/// A section for each target, machine and state of the caches on which kernels of the network were tuned.
std::vector<report::Section> network_sections(const std::vector<NetworkTask>& network,
                                              const std::vector<report::TaskData>& tasks) {
  std::map<std::string, std::map<std::string, const report::TaskData*>> by_conditions;  // then by workload
  for (const report::TaskData& data : tasks) {
    if (data.best) by_conditions[conditions_of(data.task.key)].emplace(data.task.key.workload.text, &data);
  }
  std::vector<report::Section> sections;
  for (const auto& [conditions, tuned] : by_conditions) {
    std::vector<report::NetworkRow> rows;
    for (const NetworkTask& task : network) {
      report::NetworkRow row{task.label, task.workload, task.nodes.size(), 0, 0, ""};
      if (const auto found = tuned.find(task.workload); found != tuned.end()) {
        const BestRecord& best = *found->second->best;
        row.best_ns = best.timing.median_ns;
        row.default_ns = report::default_ns(*found->second);
        row.config = best.point.template_name + ": " + best.point.config.str();
      }
      rows.push_back(std::move(row));
    }
    sections.push_back(report::network_section(
        by_conditions.size() == 1 ? "Network" : fmt::format("Network on {}", conditions), rows));
  }
  return sections;
}

std::string database_name(const std::string& path, const ReportOptions& options) {
  return options.with_paths ? path : fs::path(path).filename().string();
}

report::Page page_of(ReportContent content, const Selected& selected, const ReportOptions& options) {
  const std::vector<report::TaskData>& tasks = content.tasks;
  report::Page page;
  page.title = "Nestwright: " + selected.what;
  page.subtitle = fmt::format("{} {} of {}, by nestwright {}", tasks.size(), tasks.size() == 1 ? "task" : "tasks",
                              database_name(options.common.db, options), NESTWRIGHT_VERSION);
  if (!selected.network.empty()) page.sections = network_sections(selected.network, tasks);
  if (tasks.size() > 1) page.sections.push_back(report::overview_section(tasks));
  page.sections.push_back(report::target_section(tasks));
  if (!options.compare.empty()) {
    std::string before = database_name(options.compare, options), after = database_name(options.common.db, options);
    if (before == after) {
      before += " (other)";
      after += " (this)";
    }
    page.sections.push_back(
        report::database_section(tasks, read_bests_of(options.compare, selected, options), before, after));
  }
  page.tasks = std::move(content.pages);
  return page;
}

void write_to(const std::string& file, const std::string& text) {
  OutputFile out(file);
  out.write(text);
  out.finish();
}

/// Says which of several workloads have no trials: the page of a network shows it of its kernels.
void note_missing(const ReportContent& content, const Selected& selected, const std::string& database) {
  if (content.without.empty() || !selected.network.empty()) return;
  const std::size_t others = content.without.size() - 1;
  note(printable(fmt::format("nestwright: nothing is recorded for {}{} in '{}': left out\n", content.without.front(),
                             others == 0 ? "" : fmt::format(" and {} more", others), database)));
}

int run(const ReportOptions& options) {
  if (!options.compare.empty() && options.format != "html") {
    throw UsageError("--compare is for pages: leave it out, or --format");
  }
  const Selected selected = select_tasks(options);
  ReportContent content = read_content(selected, options);
  if (content.tasks.empty()) {
    if (!selected.wrong.empty()) return print_error(kUsage, selected.wrong);
    return print_error(kNotFound, fmt::format("nothing is recorded for {}{} in '{}': run nestwright tune first, or see "
                                              "nestwright log sessions",
                                              selected.what, selected.conditions, options.common.db));
  }
  note_missing(content, selected, options.common.db);
  const std::size_t count = content.tasks.size();
  write_to(options.out, options.format == "csv"    ? report::trials_csv(content.tasks)
                        : options.format == "json" ? report::trials_json(content.tasks)
                                                   : report::html(page_of(std::move(content), selected, options)));
  if (options.out != "-") {
    note(printable(fmt::format("wrote {} with {} {}\n", options.out, count, count == 1 ? "task" : "tasks")));
  }
  return kDone;
}

}  // namespace

void add_report(CommandLine& line, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  Command command =
      line.add_command("report", "write one HTML file that shows how tasks were tuned, and what their knobs are worth");
  add_workload(command, options->common);
  add_model_options(command, options->model);
  add_db(command, options->common);
  Argument target = add_target(command, options->common);
  target.describe("only this target, e.g. host or cpu,isa=avx2,threads=1 (default: any)");
  add_caches(command, options->common);
  command.add_option("--file", options->file, "the tasks of a JSON file of workloads, as of tune --file")
      .value_name("FILE");
  command.add_flag("--all", options->all, "all tasks of the database");
  command.add_option("--out", options->out, "the file to write; - is standard output").value_name("FILE").required();
  command.add_option("--compare", options->compare, "show the bests of another database beside these").value_name("DB");
  command.add_option("--format", options->format, "html, or the trials as csv or json")
      .value_name("NAME")
      .one_of({"html", "csv", "json"})
      .show_default();
  command.add_flag("--with-paths", options->with_paths,
                   "keep folders in messages and commands, which are left out so that the file can be passed on");
  command.on_chosen([options, target, &action] {
    options->has_target = target.is_given() || options->common.threads > 0;
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
