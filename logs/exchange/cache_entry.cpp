#include "logs/exchange/cache_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "logs/exchange/foreign.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

/// A time of an entry and its name among the "times" of T4.
struct TimeField {
  const char* cache;
  const char* t4;
};
constexpr std::array<TimeField, 5> kTimes = {{{"compile_time", "compilation"},
                                              {"verification_time", "validation"},
                                              {"benchmark_time", "benchmark"},
                                              {"strategy_time", "search_algorithm"},
                                              {"framework_time", "framework"}}};

/// What Kernel Tuner writes in the place of the time of a configuration that failed, and T4's "invalidity".
struct Failure {
  const char* cache;
  const char* t4;
};
constexpr std::array<Failure, 4> kFailures = {{{"InvalidConfig", "constraints"},
                                               {"CompilationFailedConfig", "compile"},
                                               {"RuntimeFailedConfig", "runtime"},
                                               {"ErrorConfig", "runtime"}}};

const Failure* failure_in(const Json& value) {
  if (!value.is_string()) return nullptr;
  const auto* const found =
      std::ranges::find_if(kFailures, [&](const Failure& failure) { return value == failure.cache; });
  return found == kFailures.end() ? nullptr : found;
}

const char* failure_of(const std::string& invalidity) {
  for (const Failure& failure : kFailures) {
    if (invalidity == failure.t4) return failure.cache;
  }
  return "RuntimeFailedConfig";  // a timeout or a wrong result
}

/// The text that str() of Python gives for a value, or repr() for one in a list.
std::string python_text(const Json& value, bool in_list = false) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return in_list ? fmt::format("'{}'", value.get<std::string>()) : value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& element : value) text += (text.empty() ? "" : ", ") + python_text(element, true);
  return "[" + text + "]";
}

/// "16,1" for the values of the parameters in their order.
std::string name_of(const Json& header, const Json& configuration) {
  std::string name;
  for (const Json& key : header["tune_params_keys"]) {
    const auto value = configuration.find(key.get_ref<const std::string&>());
    if (!name.empty()) name += ',';
    name += value == configuration.end() ? "None" : python_text(*value);
  }
  return name;
}

}  // namespace

Json t4_of_cache_entry(const Json& header, const std::string& name, const Json& entry) {
  if (!entry.is_object()) refuse_part("is not an object");
  Json result = {{"configuration", Json::object()}, {"times", Json::object()}};
  Json fields = entry;
  for (const Json& key : header["tune_params_keys"]) {
    const std::string& parameter = key.get_ref<const std::string&>();
    const auto value = fields.find(parameter);
    if (value == fields.end()) refuse_part(fmt::format("has no value of the parameter '{}'", parameter));
    result["configuration"][parameter] = *value;
    fields.erase(parameter);
  }
  for (const TimeField& time : kTimes) {
    if (fields.contains(time.cache)) result["times"][time.t4] = fields[time.cache];
    fields.erase(time.cache);
  }
  if (fields.contains("times")) result["times"]["runtimes"] = fields["times"];
  fields.erase("times");
  if (fields.contains("timestamp")) result["timestamp"] = fields["timestamp"];
  fields.erase("timestamp");

  result["invalidity"] = "correct";
  result["correctness"] = 1;
  result["measurements"] = Json::array();
  for (const auto& [field, value] : fields.items()) {
    if (const Failure* const failure = failure_in(value)) result["invalidity"] = failure->t4;
    result["measurements"].push_back(
        {{"name", field}, {"value", value}, {"unit", field.starts_with("time") ? "ms" : ""}});
  }
  const auto objective = header.find("objective");
  if (objective != header.end()) result["objectives"] = objective->is_array() ? *objective : Json::array({*objective});
  if (name != name_of(header, result["configuration"])) result["cache_key"] = name;
  return result;
}

std::pair<std::string, Json> cache_entry_of_t4(const Json& header, const Json& result, bool is_complete) {
  const Json& configuration = result["configuration"];
  const Json& times = result["times"];
  Json entry = Json::object();
  for (const Json& key : header["tune_params_keys"]) {
    const std::string& parameter = key.get_ref<const std::string&>();
    entry[parameter] = configuration.contains(parameter) ? configuration[parameter] : Json();
  }
  const std::string invalidity = result["invalidity"].get<std::string>();
  const auto measurements = result.find("measurements");
  const Json none = Json::array();
  const Json& measured = measurements != result.end() && measurements->is_array() ? *measurements : none;
  bool is_marked = false;  // as failed
  for (const Json& measurement : measured) {
    const bool is_whole = measurement.is_object() && measurement.contains("name") && measurement.contains("value");
    if (!is_whole || !measurement["name"].is_string()) continue;
    is_marked = is_marked || failure_in(measurement["value"]) != nullptr;
    entry[measurement["name"].get<std::string>()] = measurement["value"];
  }
  // A number would be taken for a time, even for the best one.
  if (invalidity != "correct" && !is_marked) {
    entry.erase("__error__");  // empty in a result of Kernel Tuner
    entry["time"] = failure_of(invalidity);
  }
  if (times.contains("runtimes") && (!times["runtimes"].empty() || !is_complete)) entry["times"] = times["runtimes"];
  for (const TimeField& time : kTimes) {
    if (times.contains(time.t4)) {
      entry[time.cache] = times[time.t4];
    } else if (is_complete) {
      entry[time.cache] = 0;
    }
  }
  if (result.contains("timestamp")) entry["timestamp"] = result["timestamp"];
  const auto name = result.find("cache_key");
  return {name != result.end() ? name->get<std::string>() : name_of(header, configuration), std::move(entry)};
}

}  // namespace nestwright
