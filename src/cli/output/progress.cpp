#include "cli/output/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/options/common_options.h"
#include "cli/output/record_output.h"

namespace nestwright::cli {
namespace {

constexpr double kTerminalInterval_s = 0.1, kPipedInterval_s = 5;

/// Returns the width available on the terminal; a line that wraps cannot be rewritten.
std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
}

/// Returns the seconds until the first budget ends; negative if unknown.
double seconds_left(const auto& p, const Budget& budget) {
  double left = -1;
  if (budget.seconds > 0) left = p.seconds_left;
  if (budget.trials > 0 && p.trials > 0) {
    const double by_trials = static_cast<double>(budget.trials - p.trials) * p.seconds / static_cast<double>(p.trials);
    left = left < 0 ? by_trials : std::min(left, by_trials);
  }
  return left;
}

}  // namespace

std::string outcomes_text(const std::map<Outcome, std::int64_t>& outcomes) {
  std::string text;
  for (const auto& [outcome, count] : outcomes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", outcome_name(outcome), count);
  }
  return text.empty() ? "none" : text;
}

std::string progress_text(const Progress& p, const Budget& budget, const Work& work) {
  const std::string total = budget.trials > 0 ? fmt::format(" of {}", budget.trials) : "";
  const double rate = p.seconds > 0 ? static_cast<double>(p.trials) / p.seconds : 0;
  std::string line = fmt::format("{}{} trials, {:.1f}/s, ", p.trials, total, rate);
  line += p.best_ns > 0 ? fmt::format("best {} ({}), ", throughput_text(work, p.best_ns), format_time(p.best_ns))
                        : "none valid yet, ";
  if (const double left = seconds_left(p, budget); left >= 0) line += fmt::format("{:.0f} s left, ", left);
  line += outcomes_text(p.outcomes);
  if (p.disturbed > 0) line += fmt::format(", {} disturbed", p.disturbed);
  if (!p.phase.empty()) line += fmt::format("; {}{}{}", p.phase, p.detail.empty() ? "" : ": ", p.detail);
  return p.waiting_for.empty() ? line : fmt::format("{}; waiting: {}", line, p.waiting_for);
}

std::string list_progress_text(const SharedProgress& p, const Budget& budget, const std::string& label,
                               std::size_t width) {
  const double rate = p.seconds > 0 ? static_cast<double>(p.trials) / p.seconds : 0;
  std::string line = fmt::format("whole {}{}, {:.0f}% tuned; {}", p.is_timed ? "" : "about ", format_time(p.whole_ns),
                                 std::floor(100 * p.tuned_share), p.trials);
  if (budget.trials > 0) line += fmt::format(" of {}", budget.trials);
  line += fmt::format(" trials, {:.1f}/s", rate);
  if (const double left = seconds_left(p, budget); left >= 0) line += fmt::format(", {:.0f} s left", left);
  line += p.races_left > 0 ? fmt::format("; {} races left", p.races_left)
                           : fmt::format("; {}{}", p.best_ns > 0 ? format_time(p.best_ns) + " " : "", printable(label));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.size() <= width ? line : line.substr(0, width);
}

ProgressLine::ProgressLine(const Budget& budget) : budget_(budget), terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const Progress& p, const Work& work, const std::string& task) {
  if (!is_due(p.seconds, p.best_ns > 0, p.phase)) return;
  write(printable(task.empty() ? "" : task + ": ") + progress_text(p, budget_, work));
}

void ProgressLine::show(const SharedProgress& p, const std::string& task) {
  if (is_due(p.seconds, p.best_ns > 0, p.races_left > 0 ? "final races" : "")) {
    write(list_progress_text(p, budget_, task));
  }
}

void ProgressLine::show_phase(const std::string& phase, const std::string& detail, double seconds) {
  if (!is_due(seconds, false, phase)) return;
  std::string line = detail.empty() ? phase : phase + ": " + detail;
  if (budget_.seconds > 0) line += fmt::format(", {:.0f} s left", std::max(budget_.seconds - seconds, 0.0));
  write(std::move(line));
}

bool ProgressLine::is_due(double seconds, bool has_best, const std::string& phase) {
  const bool is_first_best = has_best && !has_shown_best_;
  const bool is_new_phase = phase != phase_ && !phase.empty();
  const bool is_news = is_first_best || is_new_phase;
  if (!is_news && seconds - last_shown_s_ < (terminal_ ? kTerminalInterval_s : kPipedInterval_s)) return false;
  has_shown_best_ = has_shown_best_ || is_first_best;
  phase_ = phase;
  last_shown_s_ = seconds;
  return true;
}

void ProgressLine::write(std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (terminal_) {
    note(fmt::format("\r\033[K{}", line.substr(0, columns())));
    open_ = true;
  } else {
    note(fmt::format("{}\n", line));
  }
}

void ProgressLine::finish() {
  if (open_) note("\n");
  open_ = false;
}

}  // namespace nestwright::cli
