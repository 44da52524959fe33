#include "cli/options/option_checks.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>
#include <string_view>

namespace nestwright::cli {
namespace {

template <typename Number>
bool reads_as(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// The seconds of "2w", "30d", "12h" or "45min"; absent for other texts.
std::optional<std::int64_t> age_seconds(const std::string& text) {
  struct Unit {
    std::string_view name;
    std::int64_t seconds;
  };
  constexpr std::array kUnits{Unit{"w", 604'800}, Unit{"d", 86'400}, Unit{"h", 3'600}, Unit{"min", 60}};
  constexpr std::int64_t kMaxAge = 1'000'000;  // in any unit
  for (const Unit& unit : kUnits) {
    std::int64_t count = 0;
    if (!text.ends_with(unit.name) || !reads_as(text.substr(0, text.size() - unit.name.size()), count)) continue;
    if (count >= 0 && count <= kMaxAge) return count * unit.seconds;
  }
  return std::nullopt;
}

/// The number that the digits at `at` write; 0 if the text ends before.
int number_at(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  if (text.size() >= at + digits) std::from_chars(text.data() + at, text.data() + at + digits, value);
  return value;
}

/// Whether the text is a date of the calendar, perhaps with the beginning of a time of the day behind it.
bool begins_a_time(std::string_view text) {
  constexpr std::string_view kPattern = "0000-00-00T00:00:00.000Z";
  constexpr std::size_t kDate = 10;
  if (text.size() < kDate || text.size() > kPattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kPattern[i] == '0' ? !is_digit : text[i] != kPattern[i]) return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(number_at(text, 0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number_at(text, 5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number_at(text, 8, 2)))};
  return date.ok() && number_at(text, 11, 2) < 24 && number_at(text, 14, 2) < 60 && number_at(text, 17, 2) < 60;
}

std::string utc_text(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

/// A percentage or a number; nullopt for what is neither.
std::optional<double> read_share(const std::string& text) {
  const bool is_percentage = text.ends_with('%');
  double value = 0;
  if (!reads_as(is_percentage ? text.substr(0, text.size() - 1) : text, value)) return std::nullopt;
  return is_percentage ? value / 100 : value;
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
    const std::optional<double> value = read_share(text);
    if (!value || !(*value >= 0 && *value < 1)) {
      return fmt::format("give a percentage such as 1%, or a number below 1 such as 0.01, not '{}'", text);
    }
    text = fmt::format("{}", *value);
    return {};
  };
}

TextCheck share_or_whole() {
  return [](std::string& text) -> std::string {
    const std::optional<double> value = read_share(text);
    if (!value || !(*value >= 0 && *value <= 1)) {
      return fmt::format("give a percentage from 0% to 100%, or a number from 0 to 1 such as 0.05, not '{}'", text);
    }
    text = fmt::format("{}", *value);
    return {};
  };
}

TextCheck moment() {
  return [](std::string& text) -> std::string {
    if (const std::optional<std::int64_t> age = age_seconds(text)) {
      text = utc_text(std::time(nullptr) - *age);
      return {};
    }
    std::string time = text;
    if (time.size() > 10 && time[10] == ' ') time[10] = 'T';
    if (!begins_a_time(time)) {
      return fmt::format(
          "give a time such as 2026-11-30 or 2026-11-30T14:05 (UTC), or an age such as 2w, 30d, 12h or 45min,"
          " not '{}'",
          text);
    }
    text = time;
    return {};
  };
}

}  // namespace nestwright::cli
