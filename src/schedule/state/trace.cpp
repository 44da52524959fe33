#include "nestwright/schedule.h"

#include <fmt/format.h>

#include <sstream>

#include "nestwright/error.h"

namespace nestwright {

std::string Trace::str() const {
  std::string result;
  for (const TraceStep& step : steps_) {
    result += step.primitive;
    for (const std::string& argument : step.arguments) result += " " + argument;
    result += "\n";
  }
  return result;
}

Trace Trace::parse(std::string_view text) {
  Trace trace;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    TraceStep step;
    words >> step.primitive;
    for (std::string word; words >> word;) step.arguments.push_back(word);
    if (step.primitive.empty() || step.arguments.empty()) {
      throw UsageError(fmt::format("line {} of the trace is no primitive with its arguments: '{}'", number, line));
    }
    trace.append(std::move(step));
  }
  return trace;
}

}  // namespace nestwright
