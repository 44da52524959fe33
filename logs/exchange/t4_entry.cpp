#include "logs/exchange/t4_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "logs/exchange/timestamps.h"
#include "measure/race/timing.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNs = 1e6;  // in a millisecond
/// Old versions of Kernel Tuner wrote this time, in milliseconds, for configurations that failed.
constexpr double kFailedTime = 1e20;

constexpr std::array<std::pair<std::string_view, Outcome>, 6> kInvalidity = {{{"correct", Outcome::kOk},
                                                                              {"constraints", Outcome::kInvalidConfig},
                                                                              {"compile", Outcome::kCompileError},
                                                                              {"runtime", Outcome::kLaunchError},
                                                                              {"timeout", Outcome::kTimeout},
                                                                              {"correctness", Outcome::kWrongResult}}};

Outcome outcome_of(const Json& invalidity) {
  if (invalidity.is_string()) {
    for (const auto& [name, outcome] : kInvalidity) {
      if (name == invalidity.get_ref<const std::string&>()) return outcome;
    }
  }
  refuse_part(fmt::format("has the 'invalidity' {}, which is not in the schema of T4", invalidity.dump()));
}

std::string invalidity_of(Outcome outcome) {
  for (const auto& [name, named] : kInvalidity) {
    if (named == outcome) return std::string(name);
  }
  return "runtime";  // a crash
}

const Json& required_field(const Json& result, const char* name, const char* type, bool (*is_type)(const Json&)) {
  const auto field = result.find(name);
  if (field == result.end()) refuse_part(fmt::format("has no '{}', which the schema requires", name));
  if (!is_type(*field)) refuse_part(fmt::format("has a '{}' that is not {}", name, type));
  return *field;
}

bool is_object(const Json& value) { return value.is_object(); }
bool is_number(const Json& value) { return value.is_number(); }
bool is_any(const Json&) { return true; }

/// Takes fields out of an object, and remembers which were absent.
class Fields {
 public:
  Fields(Json& object, Json& absent) : object_(object), absent_(absent) {}

  std::optional<Json> take(const char* name) {
    const auto field = object_.find(name);
    if (field == object_.end()) {
      absent_.push_back(name);
      return std::nullopt;
    }
    Json value = std::move(*field);
    object_.erase(name);
    return value;
  }
  double take_time(const char* name, double unit_ms) {
    const std::optional<Json> value = take(name);
    if (!value) return 0;
    if (!value->is_number()) refuse_part(fmt::format("has a time '{}' that is not a number", name));
    const double time_ms = value->get<double>() * unit_ms;
    if (!std::isfinite(time_ms)) refuse_part(fmt::format("has a time '{}' that is too large", name));
    return time_ms;
  }

 private:
  Json& object_;
  Json& absent_;
};

std::string objective_of(const Json& rest) {
  const auto list = rest.find("objectives");
  const bool is_named = list != rest.end() && list->is_array() && !list->empty() && list->front().is_string();
  return is_named ? list->front().get<std::string>() : "time";
}

bool is_named(const Json& measurement, const std::string& name) {
  return measurement.is_object() && measurement.contains("name") && measurement["name"] == name;
}

std::string unit_name(const Json& measurement) {
  const auto unit = measurement.find("unit");
  return unit != measurement.end() && unit->is_string() ? unit->get<std::string>() : "";
}

/// Whether a measurement, which has a name, is in the file's unit of time.
bool is_time_without_unit(const Json& measurement) {
  return unit_name(measurement).empty() && measurement["name"].get_ref<const std::string&>().starts_with("time");
}

/// The unit of a measurement that is a time, in milliseconds.
double unit_of(const Json& measurement, double unit_ms) {
  return is_time_without_unit(measurement) ? unit_ms : time_unit_ms(unit_name(measurement));
}

/// The measurement that is the trial's time: that of the objective, or if that is no time, the one with the name
/// "time". Null: there is none.
Json* time_of(Json& rest, double unit_ms) {
  const auto list = rest.find("measurements");
  if (list == rest.end()) return nullptr;
  if (!list->is_array()) refuse_part("has 'measurements' that are not a list");
  for (const std::string& name : {objective_of(rest), std::string("time")}) {
    for (Json& measurement : *list) {
      if (is_named(measurement, name) && unit_of(measurement, unit_ms) > 0) return &measurement;
    }
  }
  return nullptr;
}

std::vector<double> runtimes_of(Fields& times, double unit_ms) {
  const std::optional<Json> list = times.take("runtimes");
  std::vector<double> samples;
  if (!list) return samples;
  if (!list->is_array()) refuse_part("has 'runtimes' that are not a list");
  for (const Json& time : *list) {
    if (!time.is_number()) refuse_part("has 'runtimes' that are not all numbers");
    samples.push_back(time.get<double>() * unit_ms * kNs);
    if (!std::isfinite(samples.back())) refuse_part("has 'runtimes' that are too large");
  }
  return samples;
}

/// Sets the time of a trial that is right, or its failure if the time is the mark of one.
void take_time(ForeignTrial& trial, double unit_ms) {
  Timing& timing = trial.measurement.timing;
  Json* const measured = time_of(trial.rest, unit_ms);
  if (measured != nullptr) {
    const auto value = measured->find("value");
    if (value == measured->end() || !value->is_number()) refuse_part("is correct, but its time is not a number");
    const double time_ms = value->get<double>() * unit_of(*measured, unit_ms);
    if (time_ms >= kFailedTime) {
      trial.measurement.outcome = Outcome::kLaunchError;
      trial.rest["invalidity"] = "correct";
      return;
    }
    if (!(time_ms > 0)) refuse_part(fmt::format("has the time {}, which is not positive", value->dump()));
    timing.median_ns = time_ms * kNs;
    measured->erase("value");
  }
  if (timing.samples_ns.empty()) return;
  const MedianInterval interval = median_interval(timing.samples_ns);
  if (measured == nullptr) timing.median_ns = interval.median;
  timing.low_ns = std::min(interval.low, timing.median_ns);
  timing.high_ns = std::max(interval.high, timing.median_ns);
}

std::string message_of(Outcome outcome) {
  return outcome == Outcome::kOk ? "" : fmt::format("recorded as '{}'", invalidity_of(outcome));
}

double correctness_of(Outcome outcome) { return outcome == Outcome::kWrongResult ? 0 : 1; }

/// Throws unless a configuration's text can have the name.
void require_knob_name(const std::string& name) {
  const bool is_word =
      !name.empty() && std::ranges::none_of(name, [](unsigned char c) { return c <= ' ' || c == '='; });
  if (!is_word) refuse_part(fmt::format("has the parameter {}, which is not a word without '='", Json(name).dump()));
}

/// Multiplies the times that `rest` keeps, which have no unit of their own, so that those of files with different units
/// are in the same.
void rescale_kept_times(Json& rest, double factor) {
  if (factor == 1) return;
  const auto rescale = [factor](Json& value) {
    if (value.is_number()) value = value.get<double>() * factor;
  };
  if (const auto times = rest.find("times"); times != rest.end() && times->is_object()) {
    for (auto& [name, value] : times->items()) rescale(value);
  }
  const auto list = rest.find("measurements");
  if (list == rest.end() || !list->is_array()) return;
  for (Json& measurement : *list) {
    if (!measurement.is_object() || !measurement.contains("name") || !measurement["name"].is_string()) continue;
    if (measurement.contains("value") && is_time_without_unit(measurement)) rescale(measurement["value"]);
  }
}

/// Removes an entry of `rest` and returns it, or null.
Json take(Json& rest, const char* name) {
  const auto field = rest.find(name);
  if (field == rest.end()) return nullptr;
  Json value = std::move(*field);
  rest.erase(name);
  return value;
}

}  // namespace

double time_unit_ms(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, double>, 10> kUnits = {{{"ns", 1e-6},
                                                                           {"nanoseconds", 1e-6},
                                                                           {"us", 1e-3},
                                                                           {"microseconds", 1e-3},
                                                                           {"ms", 1},
                                                                           {"milliseconds", 1},
                                                                           {"miliseconds", 1},  // files of the hub
                                                                           {"s", 1e3},
                                                                           {"sec", 1e3},
                                                                           {"seconds", 1e3}}};
  const auto* const unit = std::ranges::find(kUnits, name, &std::pair<std::string_view, double>::first);
  return unit == kUnits.end() ? 0 : unit->second;
}

ForeignTrial trial_of_t4(const Json& result, double unit_ms) {
  if (!result.is_object()) refuse_part("is not an object");
  const Json& configuration = required_field(result, "configuration", "an object", is_object);
  required_field(result, "times", "an object", is_object);
  required_field(result, "invalidity", "a text", is_any);
  required_field(result, "correctness", "a number", is_number);
  if (configuration.empty()) refuse_part("has an empty 'configuration'");

  ForeignTrial trial;
  std::vector<ConfigEntry> entries;
  for (const auto& [name, value] : configuration.items()) {
    require_knob_name(name);
    entries.push_back(knob_of(name, value));
  }
  trial.config = Config(std::move(entries));
  trial.rest = result;
  trial.rest.erase("configuration");
  Json absent = Json::array();
  Fields fields(trial.rest, absent);

  Measurement& m = trial.measurement;
  m.outcome = outcome_of(*fields.take("invalidity"));
  const double correctness = fields.take("correctness")->get<double>();
  Json all_times = take(trial.rest, "times");
  Fields times(all_times, absent);
  const char* const compilation = result["times"].contains("compilation_time") ? "compilation_time" : "compilation";
  m.compile_ms = times.take_time(compilation, unit_ms);
  if (compilation == std::string_view("compilation_time")) trial.rest["compilation"] = compilation;
  m.check_ms = times.take_time("validation", unit_ms);
  m.measure_ms = times.take_time("benchmark", unit_ms);
  m.timing.samples_ns = runtimes_of(times, unit_ms);
  if (const std::optional<Json> stamp = fields.take("timestamp")) {
    if (!stamp->is_string()) refuse_part("has a 'timestamp' that is not a text");
    trial.recorded_at = iso_timestamp(stamp->get<std::string>());
  }
  trial.rest["times"] = std::move(all_times);
  if (m.outcome == Outcome::kOk) take_time(trial, unit_ms);
  rescale_kept_times(trial.rest, unit_ms);
  m.evidence.verified = m.outcome == Outcome::kOk && correctness == 1;
  m.evidence.largest_error = m.evidence.largest_error_ratio = std::numeric_limits<double>::quiet_NaN();
  m.message = message_of(m.outcome);
  if (correctness != correctness_of(m.outcome)) trial.rest["correctness"] = result["correctness"];
  if (!absent.empty()) trial.rest["absent"] = std::move(absent);
  return trial;
}

Json t4_of_trial(const ForeignTrial& trial, double unit_ms) {
  const Measurement& m = trial.measurement;
  Json rest = trial.rest;
  rescale_kept_times(rest, 1 / unit_ms);
  const Json absent = take(rest, "absent");
  const auto put = [&](Json& object, const char* name, const char* field, Json value) {
    if (!absent.is_array() || std::ranges::find(absent, field) == absent.end()) object[name] = std::move(value);
  };
  Json result = Json::object();
  put(result, "timestamp", "timestamp", tuner_timestamp(trial.recorded_at));
  for (const ConfigEntry& entry : trial.config.entries()) result["configuration"][entry.knob] = value_of(entry);

  Json times = Json::object();
  const Json compilation = take(rest, "compilation");
  const std::string compilation_name = compilation.is_string() ? compilation.get<std::string>() : "compilation";
  put(times, compilation_name.c_str(), "compilation", m.compile_ms / unit_ms);
  put(times, "benchmark", "benchmark", m.measure_ms / unit_ms);
  put(times, "validation", "validation", m.check_ms / unit_ms);
  const Json other_times = take(rest, "times");
  if (other_times.is_object()) times.update(other_times);
  Json runtimes = Json::array();
  for (const double sample_ns : m.timing.samples_ns) runtimes.push_back(sample_ns / kNs / unit_ms);
  put(times, "runtimes", "runtimes", std::move(runtimes));
  result["times"] = std::move(times);

  const Json invalidity = take(rest, "invalidity");
  result["invalidity"] = invalidity.is_string() ? invalidity : Json(invalidity_of(m.outcome));
  const Json correctness = take(rest, "correctness");
  result["correctness"] = correctness.is_number() ? correctness : Json(static_cast<int>(correctness_of(m.outcome)));
  if (Json* const measured = time_of(rest, unit_ms); measured != nullptr && !measured->contains("value")) {
    const double time_ms = m.timing.median_ns / kNs;
    Json filled = Json::object();
    for (const auto& [name, value] : measured->items()) {
      filled[name] = value;
      if (name == "name") filled["value"] = time_ms / unit_of(*measured, unit_ms);
    }
    *measured = std::move(filled);
  }
  result.update(rest);
  return result;
}

}  // namespace nestwright
