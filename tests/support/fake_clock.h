// A clock for tests that advances only by advance(). Unit: nanoseconds.
// Thread rule: one thread at a time.
#pragma once

#include "support/base/clock.h"

namespace nestwright {

class FakeClock : public Clock {
 public:
  std::int64_t now_ns() override { return now_; }
  void advance(std::int64_t ns) { now_ += ns; }

 private:
  std::int64_t now_ = 0;
};

}  // namespace nestwright
