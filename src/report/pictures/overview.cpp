#include "report/pictures/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "logs/quality.h"
#include "report/pictures/sections.h"
#include "support/base/format_time.h"

namespace nestwright::report {
namespace {

constexpr std::size_t kMaxBars = 60;

std::string speed_text(const TaskData& data) {
  return data.flops > 0 && data.best ? fmt::format("{:.1f} GFLOP/s", data.flops / data.best->timing.median_ns) : "";
}

/// How many times as fast the first is, and whether their intervals are apart.
std::pair<std::string, std::string> change_text(const Timing& before, const Timing& after) {
  const bool is_apart = after.high_ns < before.low_ns || before.high_ns < after.low_ns;
  return {fmt::format("{:.3f} x", before.median_ns / after.median_ns), is_apart ? "beyond both intervals" : "within"};
}

std::string conditions(const TaskKey& key) {
  return fmt::format("{}, {} caches, {}, {}", key.target, key.cache, key.backend, key.machine);
}

/// The same task: all of its key but the pipeline.
std::vector<TaskData>::const_iterator find_same(const std::vector<TaskData>& tasks, const TaskKey& key) {
  return std::find_if(tasks.begin(), tasks.end(), [&](const TaskData& candidate) {
    const TaskKey& other = candidate.task.key;
    return other.workload.text == key.workload.text && other.target == key.target && other.machine == key.machine &&
           other.backend == key.backend && other.cache == key.cache;
  });
}

}  // namespace

Section overview_section(const std::vector<TaskData>& tasks) {
  Section section{"Tasks", "", {}, {}, {}, false};
  Table table{"",
              "",
              {"workload", "target", "caches", "best", "low", "high", "speed", "over default", "quality", "trials",
               "sessions", "recorded at"},
              {}};
  for (const TaskData& data : tasks) {
    const TaskKey& key = data.task.key;
    const double before = default_ns(data);
    std::vector<std::string> row{data.name, key.target, key.cache};
    if (data.best) {
      const Timing& timing = data.best->timing;
      row.insert(row.end(), {format_time(timing.median_ns), format_time(timing.low_ns), format_time(timing.high_ns),
                             speed_text(data), before > 0 ? fmt::format("{:.2f} x", before / timing.median_ns) : "",
                             quality_name(quality_of(*data.best))});
    } else {
      row.insert(row.end(), {"", "", "", "", "", data.task.totals.trials > 0 ? "nothing is right" : "no trial"});
    }
    row.insert(row.end(), {fmt::to_string(data.task.totals.trials), fmt::to_string(data.sessions.size()),
                           data.best ? data.best->recorded_at : ""});
    table.rows.push_back(std::move(row));
  }
  section.tables.push_back(std::move(table));
  return section;
}

Section target_section(const std::vector<TaskData>& tasks) {
  std::map<std::string, std::vector<const TaskData*>> workloads;
  for (const TaskData& data : tasks) {
    if (data.best) workloads[data.task.key.workload.text].push_back(&data);
  }
  Section section{"Targets side by side",
                  "The same workload on several targets, machines or states of the caches. These are different tasks: "
                  "their times answer different questions.",
                  {},
                  {},
                  {},
                  false};
  Table table{"", "", {"workload", "on", "best", "low", "high", "times as fast as the first"}, {}};
  for (const auto& [workload, of] : workloads) {
    if (of.size() < 2) continue;
    for (const TaskData* data : of) {
      const Timing& timing = data->best->timing;
      table.rows.push_back({workload, conditions(data->task.key), format_time(timing.median_ns),
                            format_time(timing.low_ns), format_time(timing.high_ns),
                            fmt::format("{:.2f} x", of.front()->best->timing.median_ns / timing.median_ns)});
    }
  }
  if (table.rows.empty()) return {};
  section.tables.push_back(std::move(table));
  return section;
}

Section database_section(const std::vector<TaskData>& tasks, const std::vector<TaskData>& others,
                         const std::string& before, const std::string& after) {
  Section section{"Databases side by side",
                  fmt::format("The bests of {} beside those of {}. Their sessions were not interleaved: the clock of a "
                              "machine may have changed between them.",
                              after, before),
                  {},
                  {},
                  {},
                  false};
  Table table{"", "", {"task", before, after, "times as fast", "difference"}, {}};
  Chart chart{"Times as fast",
              fmt::format("Above 1, {} is faster than {}.", after, before),
              {"times as fast", true, false, {}},
              {"", false, false, {}},
              {},
              {},
              true};
  Series ratio{"ratio, with both intervals", Mark::kPoints, {}, {}, {}, {}, {}};
  for (const TaskData& data : tasks) {
    const auto other = find_same(others, data.task.key);
    const std::string name = fmt::format("{} on {}", data.name, conditions(data.task.key));
    if (other == others.end() || !other->best || !data.best) {
      const bool has_other = other != others.end() && other->best;
      table.rows.push_back({name, has_other ? format_time(other->best->timing.median_ns) : "not there",
                            data.best ? format_time(data.best->timing.median_ns) : "not there", "", ""});
      continue;
    }
    const Timing &was = other->best->timing, &is = data.best->timing;
    const auto [times, verdict] = change_text(was, is);
    table.rows.push_back({name, format_time(was.median_ns), format_time(is.median_ns), times, verdict});
    if (chart.y.categories.size() == kMaxBars) continue;
    ratio.y.push_back(static_cast<double>(chart.y.categories.size()));
    ratio.x.push_back(was.median_ns / is.median_ns);
    ratio.low.push_back(was.low_ns / is.high_ns);
    ratio.high.push_back(was.high_ns / is.low_ns);
    chart.y.categories.push_back(data.name);
  }
  for (const TaskData& other : others) {
    if (find_same(tasks, other.task.key) != tasks.end()) continue;
    table.rows.push_back({fmt::format("{} on {}", other.task.key.workload.text, conditions(other.task.key)),
                          other.best ? format_time(other.best->timing.median_ns) : "nothing is right", "not there", "",
                          ""});
  }
  if (!ratio.x.empty()) {
    chart.series.push_back(std::move(ratio));
    section.charts.push_back(std::move(chart));
  }
  section.tables.push_back(std::move(table));
  return section;
}

Section network_section(const std::string& title, const std::vector<NetworkRow>& rows) {
  double before = 0, after = 0;
  std::size_t unknown = 0;
  for (const NetworkRow& row : rows) {
    const auto times = static_cast<double>(row.times);
    after += times * row.best_ns;
    before += times * (row.default_ns > 0 ? row.default_ns : row.best_ns);
    unknown += row.best_ns == 0 ? 1 : 0;
  }
  Section section{title, "", {}, {}, {}, false};
  section.note = fmt::format("Its kernels take {} in all, {} untuned{}. Each kernel was timed alone.",
                             format_time(after), format_time(before),
                             unknown > 0 ? fmt::format("; {} of {} kernels were not tuned", unknown, rows.size()) : "");
  std::vector<const NetworkRow*> sorted;
  for (const NetworkRow& row : rows) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(), [](const NetworkRow* a, const NetworkRow* b) {
    return a->best_ns * static_cast<double>(a->times) > b->best_ns * static_cast<double>(b->times);
  });
  Table table{"Kernels", "", {"kernel", "times", "one call", "untuned", "share", "configuration", "workload"}, {}};
  Chart chart{
      "Time of each kernel, all its calls", "", {"time", false, true, {}}, {"", false, false, {}}, {}, {}, true};
  if (rows.size() > kMaxBars) chart.note = fmt::format("The {} longest of {}.", kMaxBars, rows.size());
  Series untuned{"untuned", Mark::kBars, {}, {}, {}, {}, {}}, tuned{"tuned", Mark::kBars, {}, {}, {}, {}, {}};
  for (const NetworkRow* row : sorted) {
    const auto times = static_cast<double>(row->times);
    const bool is_known = row->best_ns > 0;
    table.rows.push_back({row->label, fmt::to_string(row->times), is_known ? format_time(row->best_ns) : "",
                          row->default_ns > 0 ? format_time(row->default_ns) : "",
                          is_known ? fmt::format("{:.1f}%", 100 * times * row->best_ns / after) : "", row->config,
                          row->workload});
    if (chart.y.categories.size() == kMaxBars || !is_known) continue;
    const auto at = static_cast<double>(chart.y.categories.size());
    chart.y.categories.push_back(row->label);
    untuned.x.push_back(times * row->default_ns);
    tuned.x.push_back(times * row->best_ns);
    untuned.y.push_back(at);
    tuned.y.push_back(at);
  }
  if (!tuned.x.empty()) {
    chart.series = {std::move(untuned), std::move(tuned)};
    section.charts.push_back(std::move(chart));
  }
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace nestwright::report
