#include "space/config_json.h"

#include <nlohmann/json.hpp>

#include "support/error.h"

namespace nestwright {

using Json = nlohmann::ordered_json;

std::string to_json(const Config& config) {
  Json json = Json::object();
  for (const ConfigEntry& entry : config.entries()) {
    if (!entry.label.empty()) {
      json[entry.knob] = entry.label;
    } else if (entry.value.size() == 1) {
      json[entry.knob] = entry.value[0];
    } else {
      json[entry.knob] = entry.value;
    }
  }
  return json.dump();
}

Config config_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw UsageError("a configuration in JSON is one object of knobs and values");
  std::vector<ConfigEntry> entries;
  for (const auto& [knob, value] : json.items()) {
    ConfigEntry entry{knob, {}, {}};
    if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
      entry.label = value.get<std::string>();
    } else if (value.is_number_integer()) {
      entry.value = {value.get<std::int64_t>()};
    } else if (value.is_array()) {
      for (const Json& element : value) {
        if (!element.is_number_integer()) {
          throw UsageError("knob '" + knob + "' of a configuration in JSON: a list holds whole numbers");
        }
        entry.value.push_back(element.get<std::int64_t>());
      }
    } else {
      throw UsageError("knob '" + knob + "' of a configuration in JSON is neither text, a whole number nor a list");
    }
    entries.push_back(std::move(entry));
  }
  return Config(std::move(entries));
}

}  // namespace nestwright
