#include "target/description/target_text.h"

#include <fmt/core.h>

#include <charconv>

#include "nestwright/error.h"

namespace nestwright {

const char* device_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCuda:
      return "cuda";
    case DeviceKind::kOpenCl:
      return "opencl";
    case DeviceKind::kCpu:
      break;
  }
  return "cpu";
}

namespace target_text {

void refuse(std::string_view text, std::string_view field, std::string_view legal) {
  throw UsageError(fmt::format("target \"{}\": {}; {}", text, field, legal));
}

std::int64_t parse_number(std::string_view text, std::string_view field, std::string_view value, std::int64_t min,
                          std::int64_t max) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (error != std::errc() || end != value.data() + value.size() || n < min || n > max) {
    refuse(text, fmt::format("{} is \"{}\"", field, value), fmt::format("use an integer from {} to {}", min, max));
  }
  return n;
}

Fields split_fields(std::string_view text, std::string_view rest, std::string_view known) {
  Fields fields;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      refuse(text, fmt::format("\"{}\" is not of the form field=value", item), fmt::format("known fields: {}", known));
    }
    const std::string_view name = item.substr(0, equals);
    for (const auto& [earlier, value] : fields) {
      if (earlier == name) refuse(text, fmt::format("field {} is given twice", name), "give it once");
    }
    fields.emplace_back(name, item.substr(equals + 1));
  }
  return fields;
}

}  // namespace target_text
}  // namespace nestwright
