// Registers the cases that are running, so that a crash of compiled code names the case to run again.
// Thread rule: any thread; a RunningCase belongs to the thread that made it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestwright::property {

/// Registers `seed` during its lifetime. Cases beyond 64 at a time are not registered.
class RunningCase {
 public:
  explicit RunningCase(std::uint64_t seed);
  ~RunningCase();
  RunningCase(const RunningCase&) = delete;
  RunningCase& operator=(const RunningCase&) = delete;

 private:
  std::size_t slot_;
};

/// Installs handlers for signals that end the process (SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT), which write the
/// command lines of all running cases to standard error, whichever thread crashes.
void name_running_cases_at_crash();

}  // namespace nestwright::property
