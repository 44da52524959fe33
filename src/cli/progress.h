// The progress of a tuning run on standard error: one line rewritten on a terminal, plain lines now and then when piped.
// Thread rule: one thread.
#pragma once

#include <cstdint>

#include "search/session.h"

namespace nestwright::cli {

class ProgressLine {
 public:
  ProgressLine();
  void show(const Progress& progress);
  /// Ends a rewritten line, so that what follows starts on its own.
  void finish();

 private:
  bool terminal_;
  bool open_ = false;
  double last_shown_s_ = -1e9;
};

/// "ok 120, wrong_result 1".
std::string outcomes_text(const std::map<Outcome, std::int64_t>& outcomes);

}  // namespace nestwright::cli
