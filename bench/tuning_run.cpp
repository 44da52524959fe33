#include "bench/tuning_run.h"

namespace nestwright::bench {

double seconds_to_within(std::span<const TimedTrial> trials, double tolerance) {
  double best_ns = 0;
  for (const TimedTrial& trial : trials) {
    if (trial.counts && (best_ns == 0 || trial.median_ns < best_ns)) best_ns = trial.median_ns;
  }
  for (const TimedTrial& trial : trials) {
    if (trial.counts && trial.median_ns <= best_ns * (1 + tolerance)) return trial.seconds;
  }
  return -1;
}

}  // namespace nestwright::bench
