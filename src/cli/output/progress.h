// Shows the progress of a tuning run on standard error: one line that is rewritten on a terminal, a new line every few
// seconds elsewhere. Thread rule: one thread.
#pragma once

#include <string>

#include "cli/output/throughput.h"
#include "nestwright/tune.h"

namespace nestwright::cli {

/// Returns "12 of 100 trials, 9.8/s, best 101.2 GFLOP/s (2.65 ms), 9 s left, ok 11, wrong_result 1".
std::string progress_text(const Progress& progress, const Budget& budget, const Work& work);
/// Returns "ok 120, wrong_result 1".
std::string outcomes_text(const std::map<Outcome, std::int64_t>& outcomes);

class ProgressLine {
 public:
  explicit ProgressLine(const Budget& budget);
  /// `work` is that of the task. The name of the task is shown unless it is empty.
  void show(const Progress& progress, const Work& work, const std::string& task = {});
  /// Ends a line that is being rewritten, so that later output starts on a new one.
  void finish();

 private:
  Budget budget_;
  bool terminal_;
  bool open_ = false;
  double last_shown_s_ = -1e9;
  bool has_shown_best_ = false;  ///< the first best is shown without delay
  std::string phase_;            ///< the last one shown; a new one is shown without delay
};

}  // namespace nestwright::cli
