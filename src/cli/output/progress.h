// Shows the progress of a tuning run on standard error: one line that is rewritten on a terminal, a new line every few
// seconds elsewhere. Thread rule: one thread.
#pragma once

#include <string>

#include "cli/output/throughput.h"
#include "nestwright/tune.h"

namespace nestwright::cli {

/// Returns "12 of 100 trials, 9.8/s, best 101.2 GFLOP/s (2.65 ms), 9 s left, ok 11, wrong_result 1".
std::string progress_text(const Progress& progress, const Budget& budget, const Work& work);
/// Returns "whole 38.2 ms, 63% tuned; 420 trials, 5.1/s, 84 s left; conv2 (2.65 ms)": the expected time of all tasks,
/// and the task whose turn ended. The time begins with "about" while a part of it is estimated. The last part is cut,
/// so that no more than `width` columns are used.
std::string list_progress_text(const SharedProgress& progress, const Budget& budget, const std::string& label,
                               std::size_t width = 79);
/// Returns "ok 120, wrong_result 1".
std::string outcomes_text(const std::map<Outcome, std::int64_t>& outcomes);

class ProgressLine {
 public:
  explicit ProgressLine(const Budget& budget);
  /// `work` is that of the task. The name of the task is shown unless it is empty.
  void show(const Progress& progress, const Work& work, const std::string& task = {});
  /// The same for several tasks, of which `task` had the last turn.
  void show(const SharedProgress& progress, const std::string& task);
  /// The same for what follows the search: "racing the network: process 3 of 8, 12 s left". `detail` may be empty.
  void show_phase(const std::string& phase, const std::string& detail, double seconds);
  /// Ends a line that is being rewritten, so that later output starts on a new one.
  void finish();

 private:
  /// Whether a line that is `seconds` after the start, with a best or not, in this phase, is to be shown now.
  bool is_due(double seconds, bool has_best, const std::string& phase);
  void write(std::string line);

  Budget budget_;
  bool terminal_;
  bool open_ = false;
  double last_shown_s_ = -1e9;
  bool has_shown_best_ = false;  ///< the first best is shown without delay
  std::string phase_;            ///< the last one shown; a new one is shown without delay
};

}  // namespace nestwright::cli
