#include "search/revalidation/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "nestwright/error.h"
#include "search/revalidation/revalidate.h"

namespace nestwright {
namespace {

using Document = nlohmann::json;

/// A field of an object. Throws UsageError if it is missing.
const Document& field(const Document& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) throw UsageError(fmt::format("it has no \"{}\"", name));
  return *found;
}

std::string text_field(const Document& object, const char* name) {
  const Document& value = field(object, name);
  if (!value.is_string()) throw UsageError(fmt::format("\"{}\" is not text", name));
  return value.get<std::string>();
}

double number_field(const Document& object, const char* name) {
  const Document& value = field(object, name);
  if (!value.is_number()) throw UsageError(fmt::format("\"{}\" is not a number", name));
  if (value.get<double>() < 0) throw UsageError(fmt::format("\"{}\" is below 0", name));
  return value.get<double>();
}

bool truth_field(const Document& object, const char* name) {
  const Document& value = field(object, name);
  if (!value.is_boolean()) throw UsageError(fmt::format("\"{}\" is neither true nor false", name));
  return value.get<bool>();
}

std::optional<KernelFigure> figure_field(const Document& task, const char* name) {
  const Document& value = field(task, name);
  if (value.is_null()) return std::nullopt;
  const Document& time = field(value, "time_ns");
  KernelFigure figure{number_field(time, "median"),  number_field(time, "low"),      number_field(time, "high"),
                      number_field(value, "fma_ns"), number_field(value, "walk_ns"), text_field(value, "recorded_at")};
  const bool is_ordered = figure.low_ns > 0 && figure.low_ns <= figure.median_ns && figure.median_ns <= figure.high_ns;
  if (!is_ordered) throw UsageError(fmt::format("the times of \"{}\" are not 0 < low <= median <= high", name));
  return figure;
}

BaselineTask parse_task(const Document& task) {
  BaselineTask parsed{text_field(task, "workload"), text_field(task, "target"), text_field(task, "caches"),
                      text_field(task, "machine"), figure_field(task, "was")};
  if (!truth_field(task, "was_comparable")) parsed.figure.reset();
  const std::string verdict = text_field(task, "verdict");
  constexpr std::array kDecided = {RevalidationVerdict::kAsBefore, RevalidationVerdict::kFaster,
                                   RevalidationVerdict::kSlower, RevalidationVerdict::kNew};
  const bool is_decided = std::ranges::any_of(kDecided, [&](auto each) { return verdict == verdict_name(each); });
  if (std::optional<KernelFigure> now = figure_field(task, "now"); now && is_decided) parsed.figure = std::move(now);
  return parsed;
}

bool is_of(const BaselineTask& task, const StoredBest& best) {
  const TaskKey& key = best.record.task;
  return task.workload == key.workload.text && task.target == best.target() && task.caches == key.cache;
}

bool is_of_this_machine(const BaselineTask& task, const StoredBest& best) {
  return best.context && is_this_machine(task.machine, best.context->target());
}

/// The task of this machine or, if the baseline does not have it, of another one; nullptr: it has neither.
const BaselineTask* find_task(const std::vector<BaselineTask>& baseline, const StoredBest& best) {
  const BaselineTask* found = nullptr;
  for (const BaselineTask& task : baseline) {
    if (!is_of(task, best)) continue;
    if (is_of_this_machine(task, best)) return &task;
    if (found == nullptr) found = &task;
  }
  return found;
}

}  // namespace

std::vector<BaselineTask> parse_baseline(const std::string& text, const std::string& file) {
  std::string place = fmt::format("baseline '{}'", file);
  try {
    const Document document = Document::parse(text);
    if (text_field(document, "format") != kRevalidationFormat) {
      throw UsageError(fmt::format("its \"format\" is not \"{}\"", kRevalidationFormat));
    }
    const Document& tasks = field(document, "tasks");
    if (!tasks.is_array()) throw UsageError("\"tasks\" is not a list");
    std::vector<BaselineTask> baseline;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      place = fmt::format("task {} of baseline '{}'", i + 1, file);
      baseline.push_back(parse_task(tasks[i]));
    }
    return baseline;
  } catch (const Document::exception&) {
    throw UsageError(fmt::format("{} is not JSON: {}", place, kBaselineAdvice));
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{} is not what revalidate --json prints ({}): {}", place, e.what(), kBaselineAdvice));
  }
}

std::vector<BaselineTask> apply_baseline(const std::vector<BaselineTask>& baseline, std::vector<StoredBest>& bests) {
  std::vector<BaselineTask> rest;
  for (StoredBest& best : bests) {
    best.was.reset();
    best.why_not_compared.clear();
    const BaselineTask* const task = find_task(baseline, best);
    if (task == nullptr) continue;
    best.was = task->figure;
    if (!is_of_this_machine(*task, best)) best.why_not_compared = "the baseline is of another machine";
  }
  for (const BaselineTask& task : baseline) {
    if (std::ranges::none_of(bests, [&](const StoredBest& best) { return is_of(task, best); })) rest.push_back(task);
  }
  return rest;
}

}  // namespace nestwright
