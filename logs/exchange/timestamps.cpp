#include "logs/exchange/timestamps.h"

#include <cctype>
#include <string_view>

namespace nestwright {
namespace {

constexpr std::string_view kDate = "0000-00-00", kTime = "00:00:00";

/// Whether the text has a digit wherever `form` has one, and otherwise the same characters.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (form[i] == '0' ? !is_digit : text[i] != form[i]) return false;
  }
  return true;
}

/// "date", `between`, "time", perhaps a fraction, `end`, with the two replaced; empty if the text has another form.
std::string replaced(const std::string& text, char between, std::string_view end, char new_between,
                     std::string_view new_end) {
  const std::string_view all = text;
  const std::size_t seconds_end = kDate.size() + 1 + kTime.size();
  if (all.size() < seconds_end + end.size() || !all.ends_with(end) || all[kDate.size()] != between) return "";
  if (!has_form(all.substr(0, kDate.size()), kDate)) return "";
  if (!has_form(all.substr(kDate.size() + 1, kTime.size()), kTime)) return "";
  const std::string_view fraction = all.substr(seconds_end, all.size() - seconds_end - end.size());
  if (!fraction.empty() &&
      (fraction[0] != '.' || fraction.find_first_not_of("0123456789", 1) != std::string_view::npos)) {
    return "";
  }
  std::string result(all.substr(0, seconds_end));
  result[kDate.size()] = new_between;
  return result.append(fraction).append(new_end);
}

constexpr std::string_view kPythonUtc = "+00:00", kUtc = "Z";

}  // namespace

std::string iso_timestamp(const std::string& text) {
  const std::string iso = replaced(text, ' ', kPythonUtc, 'T', kUtc);
  return iso.empty() ? text : iso;
}

std::string tuner_timestamp(const std::string& text) {
  const std::string python = replaced(text, 'T', kUtc, ' ', kPythonUtc);
  return python.empty() ? text : python;
}

}  // namespace nestwright
