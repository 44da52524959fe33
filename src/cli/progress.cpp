#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/report.h"

namespace nestwright::cli {
namespace {

constexpr double kTerminalEvery_s = 0.1, kPipedEvery_s = 5;

}  // namespace

std::string outcomes_text(const std::map<Outcome, std::int64_t>& outcomes) {
  std::string text;
  for (const auto& [outcome, count] : outcomes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", outcome_name(outcome), count);
  }
  return text.empty() ? "none" : text;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const Progress& p) {
  if (p.seconds - last_shown_s_ < (terminal_ ? kTerminalEvery_s : kPipedEvery_s)) return;
  last_shown_s_ = p.seconds;
  std::string line = fmt::format("{} trials, {:.1f}/s, ", p.trials, p.seconds > 0 ? p.trials / p.seconds : 0);
  line += p.best_ns > 0 ? fmt::format("best {:.1f} GFLOP/s ({}), ", p.best_gflops, format_time(p.best_ns)) : "none valid yet, ";
  if (p.seconds_left > 0) line += fmt::format("{:.0f} s left, ", p.seconds_left);
  line += outcomes_text(p.outcomes);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);
    open_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

void ProgressLine::finish() {
  if (open_) fmt::print(stderr, "\n");
  open_ = false;
}

}  // namespace nestwright::cli
