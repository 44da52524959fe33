#include "logs/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "nestwright/error.h"
#include "space/config_json.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

/// The list columns of a measurement, beginning with those that Readings::kScores omits.
constexpr std::array<std::string_view, 5> kReadings = {"raw_ns", "reference_ns", "samples_ns", "fma_ns", "walk_ns"};
constexpr std::ptrdiff_t kBesideScores = 2;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// A number if the text is one in canonical form; a text such as "007" or "-0" must be restored unchanged.
Json number_or_text(const std::string& text) {
  if (Json::accept(text)) {
    Json parsed = Json::parse(text);
    if (parsed.is_number() && parsed.dump() == text) return parsed;
  }
  return text;
}

double real_or_nan(const sqlite::Statement& row, int column) {
  return row.is_null(column) ? kNotANumber : row.real(column);
}

/// Returns the result of `read` for the text. Throws LogError that says what the column should contain.
template <class Read>
auto read_json(std::string_view text, const char* what, const Read& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception&) {
    constexpr std::size_t kShown = 40;
    throw LogError(fmt::format("'{}' is no {}", text.substr(0, kShown), what));
  }
}

/// Parses a list without null and white space, as encode_numbers() writes it if all numbers are finite; absent for any
/// other text. Reads a history ten times as fast as the JSON library.
std::optional<std::vector<double>> plain_numbers(std::string_view json) {
  if (json.size() < 2 || json.front() != '[' || json.back() != ']') return std::nullopt;
  std::vector<double> numbers;
  const char* at = json.data() + 1;
  const char* const end = json.data() + json.size() - 1;
  if (at == end) return numbers;
  while (at != end) {
    const bool is_number = *at == '-' || (*at >= '0' && *at <= '9');
    double number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (!is_number || error != std::errc() || !std::isfinite(number)) return std::nullopt;
    numbers.push_back(number);
    if (after == end) return numbers;
    at = after + 1;
    if (*after != ',' || at == end) return std::nullopt;
  }
  return numbers;
}

}  // namespace

std::string encode_numbers(std::span<const double> numbers) { return Json(numbers).dump(); }

std::vector<double> decode_numbers(std::string_view json) {
  if (auto numbers = plain_numbers(json)) return std::move(*numbers);
  return read_json(json, "list of numbers", [](const Json& list) {
    std::vector<double> numbers;
    for (const Json& element : list) numbers.push_back(element.is_null() ? kNotANumber : element.get<double>());
    return numbers;
  });
}

std::string encode_texts(const std::vector<std::string>& texts) { return Json(texts).dump(); }

std::vector<std::string> decode_texts(std::string_view json) {
  if (json == "[]") return {};
  return read_json(json, "list of texts", [](const Json& list) { return list.get<std::vector<std::string>>(); });
}

std::string encode_parameters(const std::vector<WorkloadParameter>& parameters) {
  Json json = Json::object();
  for (const WorkloadParameter& parameter : parameters) json[parameter.name] = number_or_text(parameter.value);
  return json.dump();
}

std::vector<WorkloadParameter> decode_parameters(std::string_view json) {
  return read_json(json, "object of parameters", [](const Json& object) {
    std::vector<WorkloadParameter> parameters;
    for (const auto& [name, value] : object.get_ref<const Json::object_t&>()) {
      parameters.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
    }
    return parameters;
  });
}

std::string encode_templates(const std::vector<TemplateVersion>& templates) {
  Json json = Json::array();
  for (const TemplateVersion& usable : templates) json.push_back(Json::array({usable.name, usable.version}));
  return json.dump();
}

std::string encode_resources(const std::vector<KernelResources>& kernels) {
  Json json = Json::array();
  for (const KernelResources& k : kernels) {
    json.push_back({{"kernel", k.kernel},
                    {"registers", k.registers},
                    {"spill_bytes", k.spill_bytes},
                    {"stack_bytes", k.stack_bytes},
                    {"shared_bytes", k.shared_bytes},
                    {"threads", k.threads},
                    {"occupancy", k.occupancy}});
  }
  return json.dump();
}

std::vector<KernelResources> decode_resources(std::string_view json) {
  return read_json(json, "list of the resources of kernels", [](const Json& list) {
    std::vector<KernelResources> kernels;
    for (const Json& kernel : list) {
      // By reference, which rejects a number with a fraction; converting one beyond the range of integers would be
      // undefined.
      const auto integer = [&](const char* name) { return kernel.at(name).get_ref<const Json::number_integer_t&>(); };
      kernels.push_back({kernel.at("kernel"), static_cast<int>(integer("registers")), integer("spill_bytes"),
                         integer("stack_bytes"), integer("shared_bytes"), static_cast<int>(integer("threads")),
                         kernel.at("occupancy")});
    }
    return kernels;
  });
}

std::string encode_funnel(const SearchFunnel& funnel) {
  const auto counts = [](const ConsideredPoints& points) {
    return Json::array({points.sampled, points.ranked, points.not_lowered});
  };
  Json templates = Json::array();
  for (const SearchFunnel::OfTemplate& each : funnel.templates) {
    Json knobs = Json::object();
    for (const auto& [knob, values] : each.values) {
      Json& of_knob = knobs[knob] = Json::object();
      for (const auto& [value, points] : values) of_knob[value] = counts(points);
    }
    templates.push_back({{"template", each.source.name},
                         {"version", each.source.version},
                         {"points", counts(each.points)},
                         {"knobs", std::move(knobs)}});
  }
  return Json{{"templates", std::move(templates)}}.dump();
}

SearchFunnel decode_funnel(std::string_view json) {
  const auto counts = [](const Json& points) {
    const auto at = [&](std::size_t i) { return points.at(i).get_ref<const Json::number_integer_t&>(); };
    return ConsideredPoints{at(0), at(1), points.size() > 2 ? at(2) : 0};
  };
  return read_json(json, "funnel of a session", [&](const Json& document) {
    SearchFunnel funnel;
    for (const Json& each : document.at("templates")) {
      SearchFunnel::OfTemplate& of = funnel.templates.emplace_back();
      of.source = {each.at("template"), static_cast<int>(each.at("version").get_ref<const Json::number_integer_t&>())};
      of.points = counts(each.at("points"));
      for (const auto& [knob, values] : each.at("knobs").get_ref<const Json::object_t&>()) {
        auto& of_knob = of.values[knob];
        for (const auto& [value, points] : values.get_ref<const Json::object_t&>()) of_knob[value] = counts(points);
      }
    }
    return funnel;
  });
}

std::string placeholders(int count) {
  std::string list = "?";
  for (int i = 1; i < count; ++i) list += ", ?";
  return list;
}

std::string measurement_columns(const std::string& prefix, Readings readings) {
  const auto left_out_end = readings == Readings::kAll      ? kReadings.begin()
                            : readings == Readings::kScores ? kReadings.begin() + kBesideScores
                                                            : kReadings.end();
  std::string columns;
  std::istringstream names(kMeasurementColumns);
  for (std::string name; std::getline(names, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    const bool is_left_out = std::find(kReadings.begin(), left_out_end, name) != left_out_end;
    const std::string column = is_left_out ? "'[]'" : prefix + "." + name;
    columns += columns.empty() ? column : ", " + column;
  }
  return columns;
}

std::string remeasured_columns(const std::string& prefix) {
  const std::string dot = prefix.empty() ? "" : prefix + ".";
  return fmt::format("{0}, {1}device_clock_mhz, {1}device_temperature_c, {1}part_ratio",
                     prefix.empty() ? kMeasurementColumns : measurement_columns(prefix), dot);
}

void bind_measurement(sqlite::Statement& statement, const Measurement& m) {
  const Timing& t = m.timing;
  statement.add(static_cast<int>(m.outcome), m.message, known(t.median_ns), known(t.low_ns), known(t.high_ns),
                encode_numbers(t.samples_ns), encode_numbers(t.raw_ns), encode_numbers(t.reference_ns),
                encode_numbers(t.fma_ns), encode_numbers(t.walk_ns), t.ended_early, t.disturbance, m.evidence.verified,
                m.evidence.largest_error, m.evidence.largest_error_ratio);
}

Measurement read_measurement(const sqlite::Statement& row, int first) {
  Measurement m;
  const std::int64_t outcome = row.integer(first);
  if (outcome < 0 || outcome > static_cast<int>(Outcome::kWrongResult)) {
    throw LogError(fmt::format("no outcome has the number {}", outcome));
  }
  m.outcome = static_cast<Outcome>(outcome);
  m.message = row.text(first + 1);
  m.timing.median_ns = row.real(first + 2);
  m.timing.low_ns = row.real(first + 3);
  m.timing.high_ns = row.real(first + 4);
  m.timing.samples_ns = decode_numbers(row.text(first + 5));
  m.timing.raw_ns = decode_numbers(row.text(first + 6));
  m.timing.reference_ns = decode_numbers(row.text(first + 7));
  m.timing.fma_ns = decode_numbers(row.text(first + 8));
  m.timing.walk_ns = decode_numbers(row.text(first + 9));
  m.timing.ended_early = row.integer(first + 10) != 0;
  m.timing.disturbance = row.text(first + 11);
  m.evidence.verified = row.integer(first + 12) != 0;
  m.evidence.largest_error = real_or_nan(row, first + 13);
  m.evidence.largest_error_ratio = real_or_nan(row, first + 14);
  return m;
}

Point read_point(const sqlite::Statement& row, int first) {
  return {row.text(first), static_cast<int>(row.integer(first + 1)), config_from_json(row.text(first + 2))};
}

}  // namespace nestwright
