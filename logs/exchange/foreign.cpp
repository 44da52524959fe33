#include "logs/exchange/foreign.h"

#include <algorithm>
#include <limits>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

/// Whether a text reads as itself in a configuration's text, and not as JSON.
bool is_plain(const std::string& text) {
  constexpr std::string_view kRefused = " \t\r\n=\"[]{}";
  return !text.empty() && text.find_first_of(kRefused) == std::string::npos && !Json::accept(text);
}

}  // namespace

ConfigEntry knob_of(const std::string& name, const Json& value) {
  if (is_integer(value)) return {name, {value.get<std::int64_t>()}, {}};
  if (value.is_string() && is_plain(value.get_ref<const std::string&>())) return {name, {}, value.get<std::string>()};
  return {name, {}, value.dump()};
}

bool is_integer(const Json& value) {
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  }
  return value.is_number_integer();
}

Json parsed_json(const std::string& text, int max_depth, bool* is_deep) {
  int deepest = 0;
  const auto watch = [&](int depth, Json::parse_event_t event, const Json&) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) deepest = std::max(deepest, depth + 1);
    return deepest <= max_depth;  // else nothing more is kept
  };
  Json value = Json::parse(text, watch, false);
  if (is_deep != nullptr) *is_deep = deepest > max_depth;
  return deepest > max_depth ? Json(Json::value_t::discarded) : value;
}

Json value_of(const ConfigEntry& entry) {
  if (!entry.label.empty()) {
    Json value = parsed_json(entry.label);
    return value.is_discarded() ? Json(entry.label) : value;
  }
  if (entry.value.size() == 1) return entry.value[0];
  return entry.value;
}

std::string to_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Config KnobOrder::sorted(const Config& config) {
  for (const ConfigEntry& entry : config.entries()) places_.try_emplace(entry.knob, places_.size());
  std::vector<ConfigEntry> entries = config.entries();
  std::ranges::sort(entries, {}, [this](const ConfigEntry& entry) { return places_.find(entry.knob)->second; });
  return Config(std::move(entries));
}

void refuse_part(const std::string& what) { throw UsageError(what); }

}  // namespace nestwright
