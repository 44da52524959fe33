#include "cli/output/revalidation_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cli/output/record_output.h"
#include "nestwright/error.h"
#include "search/revalidation/baseline.h"

namespace nestwright::cli {
namespace {

const char* verdict_words(RevalidationVerdict verdict) {
  switch (verdict) {
    case RevalidationVerdict::kAsBefore:
      return "as before";
    case RevalidationVerdict::kNotReached:
      return "not reached";
    case RevalidationVerdict::kFaster:
    case RevalidationVerdict::kSlower:
    case RevalidationVerdict::kWrong:
    case RevalidationVerdict::kFails:
    case RevalidationVerdict::kUndecided:
    case RevalidationVerdict::kNew:
    case RevalidationVerdict::kSkipped:
      return verdict_name(verdict);
  }
  throw InternalError("internal error: a verdict that is none of the known ones");
}

/// Says that the machine itself ran at another speed, if it did; "" otherwise.
std::string machine_text(const TimeComparison& comparison) {
  constexpr double kMatters = 0.05;
  std::string text;
  const auto add = [&](const char* name, double ratio) {
    if (ratio == 0 || std::abs(ratio - 1) < kMatters) return;
    text += fmt::format("{}{} takes {:.2f} times as long", text.empty() ? "" : ", ", name, ratio);
  };
  add("an FMA loop", comparison.fma_ratio);
  add("a walk through memory", comparison.walk_ratio);
  return text;
}

std::string range_text(const KernelFigure& figure) {
  return format_time_range(figure.median_ns, figure.low_ns, figure.high_ns);
}

std::map<std::string, int> counts_of(const RevalidationReport& report) {
  std::map<std::string, int> counts;
  for (const RevalidationRow& row : report.rows) {
    ++counts[verdict_name(row.result.verdict)];
    if (row.result.replaced_by) ++counts["replaced"];
  }
  return counts;
}

/// "1 of 3 revalidated in 2.9 s: 1 as before, 1 not reached, 1 skipped".
std::string counts_text(const RevalidationReport& report) {
  const auto is_raced = [](const RevalidationRow& row) {
    return row.result.verdict != RevalidationVerdict::kSkipped &&
           row.result.verdict != RevalidationVerdict::kNotReached;
  };
  const auto raced = static_cast<std::size_t>(std::ranges::count_if(report.rows, is_raced));
  std::string text =
      fmt::format("{}{} revalidated in {:.1f} s", raced,
                  raced == report.rows.size() ? "" : fmt::format(" of {}", report.rows.size()), report.seconds);
  const char* separator = ": ";
  for (const auto& [name, count] : counts_of(report)) {
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    text += fmt::format("{}{} {}", std::exchange(separator, ", "), count, words);
  }
  return text + "\n";
}

/// One line of the table.
struct Line {
  std::string workload, was, now, change, verdict;
};

Line line_of(const RevalidationRow& row) {
  const auto& [best, result] = row;
  Line line{best.record.task.workload.text, "-", "-", "-", verdict_text(result)};
  if (best.was) line.was = fmt::format("{}, {:.10}", range_text(*best.was), best.was->recorded_at);
  if (result.now) line.now = range_text(*result.now);
  if (result.comparison.ratio > 0) line.change = fmt::format("{:+.1f}%", 100 * (result.comparison.ratio - 1));
  return line;
}

Json optional_text(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json optional_number(double number) { return number > 0 ? Json(number) : Json(); }

Json figure_json(const std::optional<KernelFigure>& figure) {
  if (!figure) return {};
  return {{"time_ns", {{"median", figure->median_ns}, {"low", figure->low_ns}, {"high", figure->high_ns}}},
          {"fma_ns", figure->fma_ns},
          {"walk_ns", figure->walk_ns},
          {"recorded_at", figure->recorded_at}};
}

Json replacement_json(const std::optional<BestRecord>& replaced_by) {
  if (!replaced_by) return {};
  const Timing& timing = replaced_by->timing;
  return {{"trial", replaced_by->trial},
          {"template", replaced_by->point.template_name},
          {"version", replaced_by->point.version},
          {"config_text", replaced_by->point.config.str()},
          {"time_ns", {{"median", timing.median_ns}, {"low", timing.low_ns}, {"high", timing.high_ns}}}};
}

Json row_json(const RevalidationRow& row) {
  const auto& [best, result] = row;
  const TaskKey& key = best.context ? best.context->key() : best.record.task;
  return {{"workload", best.record.task.workload.text},
          {"target", best.target()},
          {"caches", best.record.task.cache},
          {"machine", key.machine},
          {"backend", key.backend},
          {"changes", optional_text(best.changes)},
          {"trial", best.record.trial},
          {"template", best.record.point.template_name},
          {"version", best.record.point.version},
          {"config_text", best.record.point.config.str()},
          {"verdict", verdict_name(result.verdict)},
          {"detail", optional_text(result.detail)},
          {"was", figure_json(best.was)},
          {"was_comparable", best.why_not_compared.empty()},
          {"now", figure_json(result.now)},
          {"ratio", optional_number(result.comparison.ratio)},
          {"fma_ratio", optional_number(result.comparison.fma_ratio)},
          {"walk_ratio", optional_number(result.comparison.walk_ratio)},
          {"replaced_by", replacement_json(result.replaced_by)},
          {"failure", optional_text(result.failure)},
          {"seconds", result.seconds}};
}

}  // namespace

bool RevalidationReport::has_regressed() const {
  return std::ranges::any_of(rows, [](const RevalidationRow& row) { return is_regression(row.result.verdict); });
}

bool RevalidationReport::is_decided() const {
  return only_in_baseline.empty() &&
         std::ranges::none_of(rows, [](const RevalidationRow& row) { return is_undecided(row.result.verdict); });
}

std::string task_text(const std::string& workload, const std::string& target, const std::string& caches) {
  const bool is_default = caches == (target.starts_with("cpu") ? "warm" : "cold");
  return fmt::format("{} on {}{}", workload, target, is_default ? "" : " --caches " + caches);
}

std::string task_text(const StoredBest& best) {
  return task_text(best.record.task.workload.text, best.target(), best.record.task.cache);
}

std::string verdict_text(const RevalidatedBest& result) {
  std::string text = verdict_words(result.verdict);
  const std::string why = result.failure.empty() ? result.detail : result.failure;
  if (!why.empty()) text += ": " + why;
  if (const std::string machine = machine_text(result.comparison);
      !machine.empty() && result.comparison.obstacle.empty()) {
    text += fmt::format(" ({})", machine);
  }
  if (const std::optional<BestRecord>& winner = result.replaced_by) {
    text += fmt::format("; replaced by trial {} of {} ({})", winner->trial, winner->point.template_name,
                        format_time(winner->timing.median_ns));
  }
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string revalidation_text(const RevalidationReport& report) {
  std::map<std::string, std::vector<Line>> by_target;
  Line widths{"workload", "was", "now", "change", ""};
  const auto widen = [](std::string& widest, const std::string& text) {
    if (text.size() > widest.size()) widest.assign(text.size(), ' ');
  };
  for (const RevalidationRow& row : report.rows) {
    const StoredBest& best = row.best;
    const Line line = line_of(row);
    widen(widths.workload, line.workload);
    widen(widths.was, line.was);
    widen(widths.now, line.now);
    by_target[task_text("", best.target(), best.record.task.cache)].push_back(line);
  }
  const auto line_text = [&](const Line& line) {
    return fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>7}  {}\n", line.workload, widths.workload.size(), line.was,
                       widths.was.size(), line.now, widths.now.size(), line.change, line.verdict);
  };
  std::string text;
  for (const auto& [target, lines] : by_target) {
    text += target.substr(1) + "\n" + line_text({"workload", "was", "now", "change", "verdict"});
    for (const Line& line : lines) text += line_text(line);
  }
  for (const std::string& task : report.only_in_baseline) text += "only in the baseline: " + task + "\n";
  return report.rows.empty() ? text : text + counts_text(report);
}

Json revalidation_json(const RevalidationReport& report) {
  Json counts = Json::object();
  for (const auto& [name, count] : counts_of(report)) counts[name] = count;
  Json tasks = Json::list();
  for (const RevalidationRow& row : report.rows) tasks.push_back(row_json(row));
  return {{"format", kRevalidationFormat},
          {"machine", report.machine},
          {"recorded_at", report.recorded_at},
          {"tolerance", report.tolerance},
          {"seconds", report.seconds},
          {"interrupted", report.is_interrupted},
          {"regressed", report.has_regressed()},
          {"decided", report.is_decided()},
          {"counts", counts},
          {"only_in_baseline", report.has_baseline ? Json(report.only_in_baseline) : Json()},
          {"tasks", tasks}};
}

}  // namespace nestwright::cli
