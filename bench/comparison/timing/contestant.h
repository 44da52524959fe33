// The parent's handle of a contestant: a process that is stopped (SIGSTOP) except while it takes a sample, so that its
// idle, spinning threads cannot disturb the others. Thread rule: one thread at a time. Use it from a thread that
// outlives all contestants, since they end with the thread that started them.
#pragma once

#include <memory>
#include <string>

#include "bench/comparison/timing/field.h"
#include "bench/comparison/timing/request.h"
#include "bench/comparison/timing/round_check.h"
#include "support/os/channel.h"
#include "support/os/process.h"

namespace nestwright::bench {

class Contestant {
 public:
  /// Starts the executable, waits until it has checked its result or declined to take part, and stops it. One that dies
  /// or does not answer is refused. Throws Error where it cannot be started.
  Contestant(const Competitor& competitor, const std::string& folder, const ContestRequest& request, int tensors_fd);

  const std::string& name() const { return name_; }
  Readiness readiness() const { return readiness_; }
  /// Describes what runs; gives the reason if the contestant is not ready.
  const std::string& detail() const { return detail_; }
  /// The mean time of calls that take about 20 ms together, after a warm-up call. Requires that it is ready. Throws
  /// Error where it has died.
  Sample sample();

 private:
  std::string answer();
  void stop();

  std::string name_, detail_;
  Readiness readiness_ = Readiness::kRefused;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace nestwright::bench
