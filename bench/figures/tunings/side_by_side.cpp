#include "bench/figures/tunings/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "measure/race/race_finalists.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

constexpr int kProcesses = 48;  // in a race
constexpr int kAttempts = 5;    // to get an undisturbed one
constexpr std::chrono::seconds kPause{3};

std::vector<const CompiledObject*> distinct(std::vector<const CompiledObject*> objects) {
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  return objects;
}

}  // namespace

// A final race determines ratios to 0.7% on a busy host, which makes the fastest of ten seem 1% faster than it is. A
// limit of 3% needs more precision.
SideBySide::SideBySide(const Task& task)
    : task_(task),
      runner_(make_task_runner(task, {.finalist_processes = kProcesses, .max_finalist_processes = kProcesses})) {}

const CompiledObject* SideBySide::object_of(const TunedConfig& config) {
  const auto [entry, is_new] = objects_.try_emplace(Key{config.template_name, config.config});
  if (!is_new) return entry->second.get();
  try {
    auto built = build_kernels({program_of(task_, config.template_name, config.config)}, task_.target);
    const Measurement checked = runner_->check({{.object = &built[0]}}).at(0);
    if (checked.outcome != Outcome::kOk) throw Error(checked.message);
    entry->second = std::make_unique<CompiledObject>(std::move(built[0]));
  } catch (const InternalError&) {
    throw;
  } catch (const Error& e) {
    why_ = fmt::format("{} {}: {}", config.template_name, config.config, e.what());
  }
  return entry->second.get();
}

std::vector<Timing> SideBySide::timings_of(const std::vector<const CompiledObject*>& objects) {
  std::vector<Timing> timings;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kPause);
    timings = race_kernels(*runner_, objects);
    if (std::none_of(timings.begin(), timings.end(), [](const Timing& t) { return t.is_disturbed(); })) return timings;
  }
  ++disturbed_races_;
  return timings;
}

std::vector<Timing> SideBySide::race(const std::vector<TunedConfig>& configs) {
  std::vector<const CompiledObject*> all;
  for (const TunedConfig& config : configs) {
    all.push_back(object_of(config));
    if (all.back() == nullptr) throw Error("a winner cannot be timed here: " + why_);
  }
  const std::vector<const CompiledObject*> raced = distinct(all);
  const std::vector<Timing> timings = timings_of(raced);
  std::vector<Timing> of_configs;
  for (const CompiledObject* object : all) {
    of_configs.push_back(
        timings[static_cast<std::size_t>(std::find(raced.begin(), raced.end(), object) - raced.begin())]);
  }
  return of_configs;
}

std::vector<double> SideBySide::ratios_to_fastest(const std::vector<TunedConfig>& configs) {
  const std::vector<Timing> timings = race(configs);
  const auto fastest = std::min_element(timings.begin(), timings.end(),
                                        [](const Timing& a, const Timing& b) { return a.median_ns < b.median_ns; });
  std::vector<double> ratios;
  for (const Timing& timing : timings) ratios.push_back(ratio_between(timing, *fastest).median);
  return ratios;
}

std::vector<double> SideBySide::ratios_to(const TunedConfig& reference, const std::vector<TunedConfig>& configs) {
  const CompiledObject* base = object_of(reference);
  if (base == nullptr) throw Error("a winner cannot be timed here: " + why_);
  std::vector<const CompiledObject*> all, raced = {base};
  for (const TunedConfig& config : configs) {
    all.push_back(object_of(config));
    if (all.back() != nullptr) raced.push_back(all.back());
  }
  raced = distinct(raced);
  const std::vector<Timing> timings = timings_of(raced);
  const auto timing_of = [&](const CompiledObject* object) -> const Timing& {
    return timings[static_cast<std::size_t>(std::find(raced.begin(), raced.end(), object) - raced.begin())];
  };
  std::vector<double> ratios;
  for (const CompiledObject* object : all) {
    ratios.push_back(object == nullptr ? 0 : ratio_between(timing_of(object), timing_of(base)).median);
  }
  return ratios;
}

}  // namespace nestwright::bench
