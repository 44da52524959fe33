// Which cases are being run, so that a crash of what was compiled names the one to run again.
// Thread rule: any thread; a RunningCase belongs to the thread that made it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestwright::property {

/// Notes `seed` for as long as it lives. More than 64 at once are not noted.
class RunningCase {
 public:
  explicit RunningCase(std::uint64_t seed);
  ~RunningCase();
  RunningCase(const RunningCase&) = delete;
  RunningCase& operator=(const RunningCase&) = delete;

 private:
  std::size_t slot_;
};

/// From now on a signal that ends the process (SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT) first writes the command lines
/// that run the cases again to the standard error. Any thread may be the one that crashes: all running cases are named.
void name_running_cases_at_crash();

}  // namespace nestwright::property
