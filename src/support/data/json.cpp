#include "support/data/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "nestwright/error.h"

namespace nestwright {
namespace {

template <typename Kind, typename Value>
auto& as(Value& value) {
  auto* found = std::get_if<Kind>(&value);
  if (found == nullptr) throw InternalError("internal error: a JSON value is of another kind");
  return *found;
}

}  // namespace

Json::Json(std::initializer_list<Json> entries) {
  const auto is_field = [](const Json& entry) {
    const auto* pair = std::get_if<List>(&entry.value_);
    return pair != nullptr && pair->size() == 2 && pair->front().is_text();
  };
  if (!std::all_of(entries.begin(), entries.end(), is_field)) {
    value_ = List(entries);
    return;
  }
  value_ = Object{};
  for (const Json& entry : entries) (*this)[entry.entries()[0].text()] = entry.entries()[1];
}

Json Json::list() {
  Json json;
  json.value_ = List{};
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Object{};
  return json;
}

bool Json::is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }

bool Json::is_text() const { return std::holds_alternative<std::string>(value_); }

bool Json::truth() const { return as<bool>(value_); }

std::int64_t Json::integer() const {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<std::int64_t>(*value);
  return as<std::int64_t>(value_);
}

double Json::number() const { return as<double>(value_); }

const std::string& Json::text() const { return as<std::string>(value_); }

std::vector<std::string> Json::texts() const {
  std::vector<std::string> texts;
  for (const Json& entry : entries()) texts.push_back(entry.text());
  return texts;
}

const std::vector<Json>& Json::entries() const {
  if (const auto* object = std::get_if<Object>(&value_)) return object->values;
  return as<List>(value_);
}

void Json::push_back(Json entry) {
  if (is_null()) value_ = List{};
  as<List>(value_).push_back(std::move(entry));
}

const std::vector<std::string>& Json::names() const { return as<Object>(value_).names; }

bool Json::contains(std::string_view name) const {
  return std::find(names().begin(), names().end(), name) != names().end();
}

const Json& Json::operator[](std::string_view name) const {
  const auto& [names, values] = as<Object>(value_);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InternalError("internal error: no field '" + std::string(name) + "' in JSON");
  return values[static_cast<std::size_t>(found - names.begin())];
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_ = Object{};
  auto& [names, values] = as<Object>(value_);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return values[static_cast<std::size_t>(found - names.begin())];
  names.emplace_back(name);
  return values.emplace_back();
}

void Json::update(const Json& other) {
  for (std::size_t i = 0; i < other.names().size(); ++i) (*this)[other.names()[i]] = other.entries()[i];
}

/// Converts a value to one of nlohmann's library, which prints it.
struct Json::Printer {
  nlohmann::ordered_json operator()(const auto& value) const { return value; }
  nlohmann::ordered_json operator()(const List& list) const {
    auto entries = nlohmann::ordered_json::array();
    for (const Json& entry : list) entries.push_back(std::visit(*this, entry.value_));
    return entries;
  }
  nlohmann::ordered_json operator()(const Object& object) const {
    auto fields = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < object.names.size(); ++i) {
      fields[object.names[i]] = std::visit(*this, object.values[i].value_);
    }
    return fields;
  }
};

std::string Json::str() const {
  return std::visit(Printer(), value_).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace nestwright
