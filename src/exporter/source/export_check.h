// The result of running the object that is to be exported. Thread rule: values.
#pragma once

#include <string>

namespace nestwright {

/// The result of running the object that is to be exported. Times are nanoseconds per call.
struct ExportCheck {
  std::string why_not_run;                        ///< one sentence; empty: it ran
  std::string failure;                            ///< what was wrong; empty: nothing
  double median_ns = 0, low_ns = 0, high_ns = 0;  ///< 0: not timed, because the machine was disturbed
};

}  // namespace nestwright
