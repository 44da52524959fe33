// The options of a tuning session. Thread rule: values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "search/budget/effort.h"
#include "search/budget/stop_condition.h"
#include "space/restriction.h"
#include "target/measured/machine_limits.h"

namespace nestwright {

class Builder;

struct SessionOptions {
  Budget budget;
  Effort effort = Effort::kNormal;  ///< of the final race; the budget limits the search
  std::string strategy = "evolutionary";
  std::string cost_model = "xgboost";
  std::string template_name;  ///< the only template to search and to take the result from; empty: all
  Restriction restriction;    ///< what the search and its result stay within
  std::uint64_t seed = 1;
  int batch_size = 16;
  /// The largest number of finalists in the final race; the default and the stored best take part in addition. 0: no
  /// race, the times of the search decide.
  int finalists = 4;
  /// Where a call of the incumbent takes longer than this, in nanoseconds, a CPU's candidates are timed by parts of
  /// their kernels that take about as long, and what seems faster is confirmed as a whole; 0: never.
  double part_ns = 20e6;
  double race_seconds = 0;           ///< time for the final races; 0: a share of the budget's seconds
  int builders = 0;                  ///< builder processes; 0: one for each core
  std::shared_ptr<Builder> builder;  ///< for the task's target, shared with other sessions; null: the session makes one
  /// Measures the highest rates of this machine on `threads` threads. Empty: a measurement that takes 40 ms.
  std::function<MachineLimits(int threads)> measure_limits;
};

/// The builder that a session makes for itself. Throws Error where the workers do not start.
std::shared_ptr<Builder> make_session_builder(const Target& target, const SessionOptions& options);

}  // namespace nestwright
