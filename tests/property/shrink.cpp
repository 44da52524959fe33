#include "tests/property/shrink.h"

#include <algorithm>
#include <cctype>

#include "nestwright/error.h"

namespace nestwright::property {
namespace {

/// The kind of a failure: the verdict and the letters of the message, without quoted text.
std::string kind_of(const Outcome& outcome) {
  std::string kind = verdict_name(outcome.verdict);
  bool quoted = false;
  for (const char c : outcome.message) {
    quoted = quoted != (c == '`');
    if (!quoted && std::isalpha(static_cast<unsigned char>(c)) != 0) kind += c;
  }
  constexpr std::size_t kLength = 70;
  return kind.substr(0, kLength);
}

/// The size of a case: computes, then steps, then choices, then their values.
std::vector<std::uint64_t> size_of(const Case& c) {
  std::uint64_t choices = 0, values = 0, numbers = 0;
  for (const auto& compute : c.computes) {
    choices += compute.size();
    for (const std::uint32_t value : compute) values += value;
  }
  for (const TraceStep& step : c.trace.steps()) {
    for (const std::string& argument : step.arguments) {
      for (const char character : argument)
        numbers +=
            std::isdigit(static_cast<unsigned char>(character)) ? static_cast<std::uint64_t>(character - '0') : 0;
    }
  }
  return {c.computes.size(), c.trace.steps().size(), choices, values, numbers};
}

Trace trace_of(std::vector<TraceStep> steps) {
  Trace trace;
  for (TraceStep& step : steps) trace.append(std::move(step));
  return trace;
}

class Shrinker {
 public:
  Shrinker(const Tried& failing, int tries, Tamper tamper) : best_(failing), left_(tries), tamper_(tamper) {}

  Tried run() {
    bool smaller = true;
    while (smaller && left_ > 0) {
      smaller = drop_steps();
      smaller = drop_computes() || smaller;
      smaller = lower_choices() || smaller;
      smaller = lower_numbers() || smaller;
      smaller = shorten_choices() || smaller;
    }
    return best_;
  }

 private:
  bool accept(Case attempt) {
    if (left_-- <= 0) return false;
    Tried tried = try_case(attempt, tamper_);
    if (kind_of(tried.outcome) != kind_of(best_.outcome) || size_of(tried.made) >= size_of(best_.made)) return false;
    best_ = std::move(tried);
    return true;
  }

  bool drop_steps() {
    bool smaller = false;
    for (std::size_t chunk = std::max<std::size_t>(1, best_.made.trace.steps().size() / 2); chunk > 0; chunk /= 2) {
      for (std::size_t at = best_.made.trace.steps().size(); at-- > 0;) {
        std::vector<TraceStep> steps = best_.made.trace.steps();
        if (at >= steps.size()) continue;
        const auto first = steps.begin() + static_cast<std::ptrdiff_t>(at);
        steps.erase(first, first + static_cast<std::ptrdiff_t>(std::min(chunk, steps.size() - at)));
        Case attempt = best_.made;
        attempt.trace = trace_of(std::move(steps));
        smaller = accept(std::move(attempt)) || smaller;
      }
    }
    return smaller;
  }

  bool drop_computes() {
    bool smaller = false;
    for (std::size_t at = best_.made.computes.size(); at-- > 0;) {
      Case attempt = best_.made;
      if (attempt.computes.size() < 2 || at >= attempt.computes.size()) continue;
      attempt.computes.erase(attempt.computes.begin() + static_cast<std::ptrdiff_t>(at));
      smaller = accept(std::move(attempt)) || smaller;
    }
    return smaller;
  }

  bool shorten_choices() {
    bool smaller = false;
    for (std::size_t n = 0; n < best_.made.computes.size(); ++n) {
      for (const std::size_t chunk : {16, 8, 4, 2, 1}) {
        for (std::size_t at = best_.made.computes[n].size(); at-- > 0;) {
          if (n >= best_.made.computes.size() || at + chunk > best_.made.computes[n].size()) continue;
          Case zeroed = best_.made, erased = best_.made;
          const auto first = static_cast<std::ptrdiff_t>(at), last = static_cast<std::ptrdiff_t>(at + chunk);
          auto& zeros = zeroed.computes[n];
          if (std::any_of(zeros.begin() + first, zeros.begin() + last, [](std::uint32_t v) { return v != 0; })) {
            std::fill(zeros.begin() + first, zeros.begin() + last, 0);
            if (accept(std::move(zeroed))) {
              smaller = true;
              continue;
            }
          }
          auto& values = erased.computes[n];
          values.erase(values.begin() + first, values.begin() + last);
          smaller = accept(std::move(erased)) || smaller;
        }
      }
    }
    return smaller;
  }

  bool lower_choices() {
    bool smaller = false;
    for (std::size_t n = 0; n < best_.made.computes.size(); ++n) {
      for (std::size_t at = 0; n < best_.made.computes.size() && at < best_.made.computes[n].size(); ++at) {
        const std::uint32_t value = best_.made.computes[n][at];
        for (const std::uint32_t lower : {0u, value / 2, value - 1}) {
          if (value == 0 || at >= best_.made.computes[n].size()) break;
          Case attempt = best_.made;
          attempt.computes[n][at] = lower;
          if (accept(std::move(attempt))) {
            smaller = true;
            break;
          }
        }
      }
    }
    return smaller;
  }

  /// Reduces factors and other numbers, alone or after '='; names of loops are unchanged.
  bool lower_numbers() {
    bool smaller = false;
    for (std::size_t s = 0; s < best_.made.trace.steps().size(); ++s) {
      for (std::size_t a = 0; s < best_.made.trace.steps().size() && a < best_.made.trace.steps()[s].arguments.size();
           ++a) {
        const std::string argument = best_.made.trace.steps()[s].arguments[a];
        const std::size_t start = argument.find('=') == std::string::npos ? 0 : argument.find('=') + 1;
        const std::string digits = argument.substr(start);
        if (digits.empty() ||
            !std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
          continue;
        const long value = std::stol(digits);
        for (const long lower : {1L, 2L, value / 2, value - 1}) {
          if (lower < 1 || lower >= value) continue;
          std::vector<TraceStep> steps = best_.made.trace.steps();
          if (s >= steps.size() || a >= steps[s].arguments.size()) break;
          steps[s].arguments[a] = argument.substr(0, start) + std::to_string(lower);
          Case attempt = best_.made;
          attempt.trace = trace_of(std::move(steps));
          if (accept(std::move(attempt))) {
            smaller = true;
            break;
          }
        }
      }
    }
    return smaller;
  }

  Tried best_;
  int left_;
  Tamper tamper_;
};

}  // namespace

Tried try_case(const Case& attempt, Tamper tamper) {
  Tried tried{attempt, {}, {}, {}};
  ExpressionChoices choices;
  for (const auto& compute : attempt.computes) choices.emplace_back(compute);
  try {
    const Expression expression = make_expression(choices, attempt.goal.expression);
    for (std::size_t n = 0; n < choices.size(); ++n) tried.made.computes[n] = choices[n].recorded();
    const Schedule schedule = apply_trace(expression, attempt.trace);
    tried.made.trace = schedule.trace();
    tried.expression = expression.str();
    tried.schedule = schedule.str();
    const Checker checker(expression, attempt.data_seed);
    tried.outcome = checker.check(schedule, attempt.depth, tamper);
  } catch (const UsageError& error) {  // a refused expression
    tried.outcome = {Verdict::kNotLegal, error.what(), {}};
  }
  return tried;
}

Tried shrink(const Tried& failing, int tries, Tamper tamper) { return Shrinker(failing, tries, tamper).run(); }

std::string report(const Tried& tried) {
  return std::string(verdict_name(tried.outcome.verdict)) + ": " + tried.outcome.message + "\n--- expression\n" +
         tried.expression + "--- trace\n" + tried.made.trace.str() + "--- schedule\n" + tried.schedule +
         "--- programs\n" + tried.outcome.programs;
}

}  // namespace nestwright::property
