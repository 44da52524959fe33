#include "cli/options/option_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace nestwright::cli {
namespace {

template <typename Number>
bool reads_as(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

TextCheck integer(std::uint64_t min, std::uint64_t max) {
  return [min, max](std::string& text) -> std::string {
    std::uint64_t value = 0;
    if (reads_as(text, value) && value >= min && value <= max) {
      text = std::to_string(value);  // CLI11 reads 010 as 8
      return {};
    }
    return fmt::format("give an integer from {} to {}, not '{}'", min, max, text);
  };
}

TextCheck positive_seconds() {
  return [](const std::string& text) -> std::string {
    double value = 0;
    if (reads_as(text, value) && std::isfinite(value) && value > 0) return {};
    return fmt::format("give a number of seconds above 0, not '{}'", text);
  };
}

TextCheck not_empty() {
  return [](const std::string& text) -> std::string {
    return text.empty() ? "it is empty: give a text, or leave the option out" : "";
  };
}

TextCheck share() {
  return [](std::string& text) -> std::string {
    const bool is_percentage = text.ends_with('%');
    double value = 0;
    if (reads_as(is_percentage ? text.substr(0, text.size() - 1) : text, value)) {
      if (is_percentage) value /= 100;
      if (value >= 0 && value < 1) {
        text = fmt::format("{}", value);
        return {};
      }
    }
    return fmt::format("give a percentage such as 1%, or a number below 1 such as 0.01, not '{}'", text);
  };
}

}  // namespace nestwright::cli
