#include "findings/failures.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace nestwright {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The end of the number that begins at `at`: digits, with a fraction, an exponent or the letters of a hexadecimal one.
std::size_t number_end(std::string_view text, std::size_t at) {
  const auto is_at = [&](std::size_t i, auto&& test) { return i < text.size() && test(text[i]); };
  if (text[at] == '0' && is_at(at + 1, [](char c) { return c == 'x'; })) {
    for (at += 2; is_at(at, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });) ++at;
    return at;
  }
  while (is_at(at, is_digit)) ++at;
  if (is_at(at, [](char c) { return c == '.'; }) && is_at(at + 1, is_digit)) {
    for (++at; is_at(at, is_digit);) ++at;
  }
  if (is_at(at, [](char c) { return c == 'e'; })) {
    const std::size_t sign = is_at(at + 1, [](char c) { return c == '-' || c == '+'; }) ? 1 : 0;
    if (is_at(at + 1 + sign, is_digit)) {
      for (at += 1 + sign; is_at(at, is_digit);) ++at;
    }
  }
  return at;
}

}  // namespace

std::string message_class(std::string_view message) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const bool is_in_word = at > 0 && is_word(message[at - 1]);
    const bool is_minus = message[at] == '-' && at + 1 < message.size() && is_digit(message[at + 1]);
    if (is_in_word || !(is_digit(message[at]) || is_minus)) {
      text += message[at++];
      continue;
    }
    text += 'N';
    at = number_end(message, at + (is_minus ? 1 : 0));
  }
  return text;
}

std::vector<FailureCause> failure_causes(const TrialColumns& trials, SessionId session) {
  std::vector<std::string> classes;
  for (const std::string& message : trials.messages) classes.push_back(message_class(message));
  std::map<std::pair<std::uint8_t, std::string_view>, FailureCause> causes;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const bool is_other = session != 0 && trials.session[i] != session;
    if (is_other || trials.outcome[i] == static_cast<std::uint8_t>(Outcome::kOk)) continue;
    FailureCause& cause = causes[{trials.outcome[i], classes[trials.message[i]]}];
    cause.outcome = static_cast<Outcome>(trials.outcome[i]);
    cause.example = i;
    ++cause.trials;
  }
  std::vector<FailureCause> sorted;
  for (auto& [key, cause] : causes) {
    cause.message = trials.messages[trials.message[cause.example]];
    sorted.push_back(std::move(cause));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const FailureCause& a, const FailureCause& b) { return a.trials > b.trials; });
  return sorted;
}

}  // namespace nestwright
