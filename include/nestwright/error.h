// The exceptions that end an operation because of misuse or a bug. A candidate that fails is a value
// (nestwright/measurement.h), never an exception. Every message is one sentence that says what is wrong, where, and
// what to do. Stable: what is thrown where, not the wording.
//
// Thread rule: exception objects are values; any thread may
// throw them.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace nestwright {

/// Base of everything this library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller passed something unusable: an unknown operator, a size of zero, a malformed target string.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A schedule primitive refused its arguments. The schedule is unchanged.
class ScheduleError : public Error {
 public:
  ScheduleError(std::string primitive, std::string loop, std::string reason)
      : Error(primitive + " of " + loop + ": " + reason),
        primitive_(std::move(primitive)),
        loop_(std::move(loop)),
        reason_(std::move(reason)) {}

  const std::string& primitive() const { return primitive_; }
  const std::string& loop() const { return loop_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string primitive_, loop_, reason_;
};

/// A schedule that cannot be lowered for the target.
class LowerError : public Error {
 public:
  using Error::Error;
};

/// A backend could not turn a program into machine code.
class CompileError : public Error {
 public:
  using Error::Error;
};

/// The database cannot be opened, read or written.
class LogError : public Error {
 public:
  using Error::Error;
};

/// A bug: of Nestwright, or of an operator or a template of the user's, which the message then names.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// Throws InternalError with `what`, which says what did not hold.
[[noreturn]] void fail_check(const char* what);

/// Throws InternalError with `what` unless `condition` holds. Stays on in release builds.
inline void check(bool condition, const char* what) {
  if (!condition) fail_check(what);
}

}  // namespace nestwright

#pragma GCC visibility pop
