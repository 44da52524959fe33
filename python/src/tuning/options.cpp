#include "tuning/options.h"

#include <nanobind/stl/string.h>

#include <limits>

#include "conversions.h"
#include "nestwright/device.h"
#include "nestwright/error.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

/// Keyword arguments of the package, of which those that are None are not given.
class Arguments {
 public:
  explicit Arguments(const nb::dict& given) : given_(given) {}

  nb::object find(const char* name) const {
    if (!given_.contains(name) || given_[name].is_none()) return {};
    return given_[name];
  }
  std::string text(const char* name) const {
    const nb::object given = find(name);
    return given ? text_from(given, name) : "";
  }
  /// An integer from `low` to `high`, or the fallback. Throws TypeError, UsageError.
  template <class Integer>
  Integer integer(const char* name, Integer fallback, std::int64_t low, std::int64_t high) const {
    const nb::object given = find(name);
    if (!given) return fallback;
    const std::int64_t value = integer_from(given, name);
    if (value >= low && value <= high) return static_cast<Integer>(value);
    throw UsageError(std::string(name) + ": give an integer from " + std::to_string(low) + " to " +
                     std::to_string(high) + ", not " + std::to_string(value));
  }
  /// A number above `low`, or `low` itself, up to `high`.
  double number(const char* name, double fallback, double low, double high, const char* legal) const {
    const nb::object given = find(name);
    if (!given) return fallback;
    const double value = number_from(given, name);
    if (value >= low && value <= high) return value;
    throw UsageError(std::string(name) + ": give " + legal + ", not " + nb::cast<std::string>(nb::str(given)));
  }

 private:
  const nb::dict& given_;
};

}  // namespace

TargetAndCaches target_and_caches(const std::string& target, const std::string& caches) {
  const Target found = find_target(target);
  const bool is_device = found.device != DeviceKind::kCpu;
  const CacheState state =
      caches.empty() ? (is_device ? CacheState::kCold : CacheState::kWarm) : parse_cache_state(caches);
  if (is_device && state != CacheState::kCold)
    throw UsageError("kernels of devices are always timed with cold caches: leave caches out");
  return {found, state};
}

TaskContext context_of(const SharedRunErrors& errors, const Workload& workload, const std::string& target,
                       const std::string& caches) {
  const TargetAndCaches found = target_and_caches(target, caches);
  return Task{with_errors(workload, errors), found.target, found.caches};
}

SessionOptions options_from(const nb::dict& given) {
  constexpr std::int64_t kMostTrials = 1'000'000'000;
  const Arguments arguments(given);
  Budget budget;
  budget.trials = arguments.integer("trials", std::int64_t{0}, 1, kMostTrials);
  budget.seconds = arguments.number("seconds", 0, 1e-9, 1e9, "a number of seconds above 0");
  budget.early_stop = arguments.integer("early_stop", std::int64_t{0}, 1, kMostTrials);
  const std::string effort = arguments.text("effort");
  SessionOptions options = session_options(effort.empty() ? Effort::kNormal : parse_effort(effort), budget);
  options.budget.until_gain =
      arguments.number("until_gain", options.budget.until_gain, 0, 1, "a share from 0 to 1, as 0.01");
  if (const std::string strategy = arguments.text("strategy"); !strategy.empty()) options.strategy = strategy;
  if (const std::string model = arguments.text("cost_model"); !model.empty()) options.cost_model = model;
  options.template_name = arguments.text("template");
  options.seed = arguments.integer("seed", options.seed, 0, std::numeric_limits<std::int64_t>::max());
  options.batch_size = arguments.integer("batch_size", options.batch_size, 1, 256);
  options.finalists = arguments.integer("finalists", options.finalists, 0, 64);
  options.builders = arguments.integer("builders", options.builders, 1, 256);
  if (const nb::object fixed = arguments.find("fixed")) options.restriction.fixed = config_from(fixed);
  if (const nb::object conditions = arguments.find("restrictions")) {
    for (nb::handle condition : nb::borrow<nb::sequence>(conditions)) {
      options.restriction.only.push_back(KnobCondition::parse(text_from(condition, "restrictions")));
    }
  }
  return options;
}

}  // namespace nestwright::python
