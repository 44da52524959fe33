// Runs only while it is told to: the time that a task had, where several take turns.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include "support/clock.h"

namespace nestwright {

class ActiveClock final : public Clock {
 public:
  /// Stands still at first.
  explicit ActiveClock(Clock& source) : source_(source) {}
  std::int64_t now_ns() override { return past_ns_ + (running_ ? source_.now_ns() - since_ns_ : 0); }

  /// Runs as long as this lives. Scopes do not nest.
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
