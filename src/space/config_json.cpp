#include "space/config_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "nestwright/error.h"

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

std::string to_json(const Restriction& restriction, const std::string& template_name) {
  Json object = Json::object();
  if (!template_name.empty()) object["template"] = template_name;
  if (!restriction.fixed.entries().empty()) object["fix"] = Json::parse(to_json(restriction.fixed));
  for (const KnobCondition& condition : restriction.only) object["only"].push_back(condition.text());
  return object.dump();
}

namespace {

/// Builds the entries while parsing: building a JSON document first takes longer than the rest of reading a row.
class EntryReader final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return refuse_value(); }
  bool boolean(bool) override { return refuse_value(); }
  bool number_float(double, const std::string&) override { return refuse_value(); }
  bool binary(Json::binary_t&) override { return refuse_value(); }
  bool number_unsigned(std::uint64_t value) override { return number_integer(static_cast<std::int64_t>(value)); }
  bool number_integer(std::int64_t value) override {
    if (entries_.empty()) return refuse_document();
    entries_.back().value.push_back(value);
    return true;
  }
  bool string(std::string& text) override {
    if (in_list_ || text.empty()) return refuse_value();
    if (entries_.empty()) return refuse_document();
    entries_.back().label = std::move(text);
    return true;
  }
  bool start_object(std::size_t) override { return std::exchange(is_object_, true) ? refuse_value() : true; }
  bool key(std::string& knob) override {
    const auto has_name = [&](const ConfigEntry& entry) { return entry.knob == knob; };
    if (std::any_of(entries_.begin(), entries_.end(), has_name)) {
      throw UsageError("knob '" + knob + "' of a configuration in JSON is there twice");
    }
    entries_.push_back({std::move(knob), {}, {}});
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override {
    if (entries_.empty()) return refuse_document();
    return std::exchange(in_list_, true) ? refuse_value() : true;
  }
  bool end_array() override {
    in_list_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return refuse_document();
  }

  std::vector<ConfigEntry> take() { return std::move(entries_); }

 private:
  [[noreturn]] static bool refuse_document() {
    throw UsageError("a configuration in JSON is one object of knobs and values");
  }
  bool refuse_value() const {
    if (entries_.empty()) refuse_document();
    const std::string knob = "knob '" + entries_.back().knob + "' of a configuration in JSON";
    throw UsageError(knob + (in_list_ ? ": a list holds integers" : " is neither text, an integer nor a list"));
  }

  std::vector<ConfigEntry> entries_;
  bool is_object_ = false, in_list_ = false;
};

}  // namespace

Config config_from_json(std::string_view text) {
  EntryReader reader;
  Json::sax_parse(text, &reader);
  return Config(reader.take());
}

RecordedRestriction restriction_from_json(std::string_view text) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) throw UsageError("a restriction in JSON is one object");
  RecordedRestriction recorded;
  const auto has = [&](const char* name, bool is_right_kind) {
    if (!object.contains(name)) return false;
    if (!is_right_kind) throw UsageError(std::string("'") + name + "' of a restriction in JSON has another kind");
    return true;
  };
  const auto field = [&](const char* name) { return object.value(name, Json()); };
  if (has("template", field("template").is_string())) recorded.template_name = object["template"];
  if (has("fix", field("fix").is_object())) recorded.restriction.fixed = config_from_json(object["fix"].dump());
  if (!has("only", field("only").is_array())) return recorded;
  for (const Json& condition : object["only"]) {
    if (!condition.is_string()) throw UsageError("'only' of a restriction in JSON is a list of texts");
    recorded.restriction.only.push_back(KnobCondition::parse(condition.get<std::string>()));
  }
  return recorded;
}

}  // namespace nestwright
