// A clock that advances only while a scope is open: the time that one of several interleaved tasks has used.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include "support/base/clock.h"

namespace nestwright {

class ActiveClock final : public Clock {
 public:
  /// The clock is stopped at first. `source` outlives it.
  explicit ActiveClock(Clock& source) : source_(source) {}
  std::int64_t now_ns() override { return past_ns_ + (running_ ? source_.now_ns() - since_ns_ : 0); }

  /// The clock runs as long as a scope exists. Scopes do not nest.
  class Scope {
   public:
    explicit Scope(ActiveClock& clock) : clock_(clock) {
      clock_.since_ns_ = clock_.source_.now_ns();
      clock_.running_ = true;
    }
    ~Scope() {
      clock_.past_ns_ = clock_.now_ns();
      clock_.running_ = false;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ActiveClock& clock_;
  };

 private:
  Clock& source_;
  std::int64_t past_ns_ = 0, since_ns_ = 0;
  bool running_ = false;
};

}  // namespace nestwright
