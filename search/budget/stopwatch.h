// Adds the duration of a scope to a total. Thread rule: one thread for each total. Unit: nanoseconds.
#pragma once

#include <cstdint>

#include "support/base/clock.h"

namespace nestwright {

class Stopwatch {
 public:
  explicit Stopwatch(std::int64_t& total_ns) : total_ns_(total_ns), start_ns_(steady_clock().now_ns()) {}
  ~Stopwatch() { total_ns_ += steady_clock().now_ns() - start_ns_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::int64_t& total_ns_;
  std::int64_t start_ns_;
};

}  // namespace nestwright
