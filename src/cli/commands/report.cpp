#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

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
#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"
#include "nestwright/text_operator.h"
#include "report/page/page.h"
#include "report/pictures/overview.h"
#include "report/task_page.h"
#include "report/trial_table.h"

namespace nestwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTrials = 100'000;  // that a page has, of all its tasks
constexpr std::size_t kLeastTrials = 200;    // of one task, however many there are
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
  bool is_named = false;  ///< not --all
  std::string what;       ///< for the title
  std::string wrong;      ///< why the words are no workload, one sentence; empty: they are
  std::vector<NetworkTask> network;
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
  TaskFilter conditions;
  if (options.has_target) conditions.target = common.parsed_target().str();
  if (common.caches) conditions.cache = cache_state_name(parse_cache_state(*common.caches));
  if (options.all) {
    conditions.with_foreign = true;
    selected.filters.push_back(conditions);
    selected.what = "all tasks";
    return selected;
  }
  if (is_model(common)) {
    selected.network = network_tasks(kernels_of_model(common, options.model, false));
    for (const NetworkTask& task : selected.network) {
      conditions.workload = task.workload;
      selected.filters.push_back(conditions);
    }
    selected.what = fs::path(model_path(common)).filename().string();
    return selected;
  }
  if (!options.model.is_empty()) throw UsageError("--dim and --constant are for models: leave them out");
  if (!options.file.empty()) {
    const Target target = common.parsed_target();
    for (const ListedTask& task :
         read_tasks(options.file, common.registry(), target, common.parsed_caches(target)).tasks) {
      conditions.workload = task.context.workload().str();
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

std::vector<RecordedTask> tasks_of(const LogReader& reader, const Selected& selected) {
  std::vector<RecordedTask> tasks;
  for (const TaskFilter& filter : selected.filters) {
    for (RecordedTask& task : reader.tasks(filter)) {
      const bool is_new =
          std::none_of(tasks.begin(), tasks.end(), [&](const auto& other) { return other.id == task.id; });
      if (is_new && task.totals.trials > 0) tasks.push_back(std::move(task));
    }
  }
  return tasks;
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

/// Adds what this program knows of the task. `is_detailed`: its kernels may be lowered.
void complete(report::TaskData& data, const Registry& registry, const ReportOptions& options, bool is_detailed) {
  const TaskKey& key = data.task.key;
  const std::optional<TaskContext> context = context_of(key, registry);
  if (!context) return;
  data.bytes = work_of(context->workload()).bytes;
  if (is_detailed) data.context = context;
  if (is_detailed && key.machine == machine_of(context->target())) {
    data.memory_gb_s = measure_read_rate(context->target(), 1e9);
  }
  const std::string database = options.with_paths ? " --db " + shell_word(options.common.db) : "";
  const auto command = [&](const char* name) { return task_command(name, context->task()) + database; };
  data.measure_command = command("measure");
  data.commands = {command("tune"), command("query"), command("explain"),
                   command("export") + " --out FOLDER --name NAME"};
}

std::vector<report::TaskData> read_tasks_of(const std::string& database, const Selected& selected,
                                            const ReportOptions& options) {
  const LogReader reader(database, database_options());
  CommonOptions common = options.common;
  common.db = database;
  const TuningLog log = open_database(common, OpenMode::kRead);
  const std::vector<RecordedTask> tasks = tasks_of(reader, selected);
  const Registry registry = common.registry();
  const bool is_detailed = selected.is_named && tasks.size() <= kMaxDetailed;
  const std::size_t share =
      options.format == "html" ? std::max(kLeastTrials, kMaxTrials / std::max<std::size_t>(1, tasks.size())) : SIZE_MAX;
  std::vector<report::TaskData> read;
  for (const RecordedTask& task : tasks) {
    report::TaskData data = report::read_task(reader, log, task, share);
    const TaskKey& key = task.key;
    data.name = key.workload.text;
    for (const NetworkTask& of : selected.network) {
      if (of.workload == key.workload.text) data.name = of.label;
    }
    const bool is_twice = std::count_if(tasks.begin(), tasks.end(), [&](const RecordedTask& other) {
                            return other.key.workload.text == key.workload.text;
                          }) > 1;
    if (is_twice) data.name += fmt::format(" on {}{}", key.target, caches_arguments(key));
    complete(data, registry, options, is_detailed);
    if (!options.with_paths) report::hide_paths(data);
    read.push_back(std::move(data));
  }
  return read;
}

/// The bests alone of the selected tasks in another database.
std::vector<report::TaskData> read_bests_of(const std::string& database, const Selected& selected,
                                            const ReportOptions& options) {
  CommonOptions common = options.common;
  common.db = database;
  const TuningLog log = open_database(common, OpenMode::kRead);
  std::vector<report::TaskData> read;
  for (RecordedTask& task : tasks_of(LogReader(database, database_options()), selected)) {
    report::TaskData data;
    data.best = log.best(filter_of(task.key));
    data.task = std::move(task);
    read.push_back(std::move(data));
  }
  return read;
}

std::vector<report::NetworkRow> network_rows(const std::vector<NetworkTask>& network,
                                             const std::vector<report::TaskData>& tasks) {
  std::vector<report::NetworkRow> rows;
  for (const NetworkTask& task : network) {
    report::NetworkRow row{task.label, task.workload, task.nodes.size(), 0, 0, ""};
    for (const report::TaskData& data : tasks) {
      if (data.task.key.workload.text != task.workload || !data.best) continue;
      row.best_ns = data.best->timing.median_ns;
      row.default_ns = report::default_ns(data);
      row.config = data.best->point.template_name + ": " + data.best->point.config.str();
      break;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string database_name(const std::string& path, const ReportOptions& options) {
  return options.with_paths ? path : fs::path(path).filename().string();
}

report::Page page_of(std::vector<report::TaskData> tasks, const Selected& selected, const ReportOptions& options) {
  report::Page page;
  page.title = "Nestwright: " + selected.what;
  page.subtitle = fmt::format("{} {} of {}, by nestwright {}", tasks.size(), tasks.size() == 1 ? "task" : "tasks",
                              database_name(options.common.db, options), NESTWRIGHT_VERSION);
  if (!selected.network.empty()) {
    page.sections.push_back(report::network_section(network_rows(selected.network, tasks)));
  }
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
  for (report::TaskData& data : tasks) page.tasks.push_back(report::task_page(std::move(data)));
  return page;
}

/// Writes to the file, or to standard output if it is "-".
void write_to(const std::string& file, const std::string& text) {
  if (file == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw UsageError(fmt::format("'{}' cannot be written: give another file with --out", file));
}

int run(const ReportOptions& options) {
  const Selected selected = select_tasks(options);
  std::vector<report::TaskData> tasks = read_tasks_of(options.common.db, selected, options);
  if (tasks.empty()) {
    if (!selected.wrong.empty()) return print_error(kUsage, selected.wrong);
    return print_error(kNotFound, fmt::format("nothing is recorded for {} in '{}': run nestwright tune first, or see "
                                              "nestwright log sessions",
                                              selected.what, options.common.db));
  }
  const std::size_t count = tasks.size();
  if (options.format == "csv") {
    write_to(options.out, report::trials_csv(tasks));
  } else if (options.format == "json") {
    write_to(options.out, report::trials_json(tasks));
  } else {
    write_to(options.out, report::html(page_of(std::move(tasks), selected, options)));
  }
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
