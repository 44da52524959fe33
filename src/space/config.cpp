#include "nestwright/config_space.h"

#include <charconv>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string value_text(const ConfigEntry& entry) {
  if (!entry.label.empty()) return entry.label;
  if (entry.value.size() == 1) return std::to_string(entry.value[0]);
  std::string text = "[";
  for (std::size_t i = 0; i < entry.value.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(entry.value[i]);
  }
  return text + "]";
}

bool parse_integer(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

[[noreturn]] void refuse(std::string_view part, const std::string& why) {
  throw UsageError("configuration part '" + std::string(part) + "' is malformed: " + why);
}

ConfigEntry parse_entry(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos || equals == 0) refuse(part, "write it as knob=value");
  ConfigEntry entry;
  entry.knob = std::string(part.substr(0, equals));
  std::string_view text = part.substr(equals + 1);
  if (text.empty()) refuse(part, "the value after '=' is missing");
  if (text.front() != '[') {
    std::int64_t number = 0;
    if (parse_integer(text, number)) {
      entry.value = {number};
    } else {
      entry.label = std::string(text);
    }
    return entry;
  }
  if (text.back() != ']') refuse(part, "the list has no closing ']'");
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::int64_t number = 0;
    if (!parse_integer(text.substr(0, comma), number)) refuse(part, "a list holds integers, as in [4,2,14]");
    entry.value.push_back(number);
    if (comma == std::string_view::npos) break;
    text = text.substr(comma + 1);
    if (text.empty()) refuse(part, "a list holds integers, as in [4,2,14]");
  }
  return entry;
}

}  // namespace

void Config::set(std::string_view knob, KnobValue value, std::string label) {
  for (ConfigEntry& entry : entries_) {
    if (entry.knob != knob) continue;
    entry.value = std::move(value);
    entry.label = std::move(label);
    return;
  }
  entries_.push_back({std::string(knob), std::move(value), std::move(label)});
}

const ConfigEntry* Config::find(std::string_view knob) const {
  for (const ConfigEntry& entry : entries_) {
    if (entry.knob == knob) return &entry;
  }
  return nullptr;
}

std::string Config::str() const {
  std::string text;
  for (const ConfigEntry& entry : entries_) {
    if (!text.empty()) text += ' ';
    text += entry.knob + '=' + value_text(entry);
  }
  return text;
}

Config Config::parse(std::string_view text) {
  Config config;
  for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;
       at = text.find_first_not_of(kBlank, at)) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    ConfigEntry entry = parse_entry(text.substr(at, end - at));
    if (config.find(entry.knob) != nullptr)
      refuse(text.substr(at, end - at), "knob '" + entry.knob + "' is given twice");
    config.entries_.push_back(std::move(entry));
    at = end;
  }
  return config;
}

std::uint64_t Config::hash() const {
  // FNV-1a over the printed form, in which a label replaces its value: parsed and resolved configurations agree.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const unsigned char c : str()) hash = (hash ^ c) * 1099511628211ULL;
  return hash;
}

}  // namespace nestwright
