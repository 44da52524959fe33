// A child process whose output goes to a file and which can be killed at any moment. Unlike ChildProcess, it marks its
// environment, so that it and all its descendants can be found again. Thread rule: one thread at a time.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "support/os/process.h"

namespace nestwright::bench {

/// The folder of this executable, which also contains nestwright.
std::string own_folder();

class Child {
 public:
  /// Runs `words`, with standard output in `output` and standard error in `output`.err. Its descendants inherit `mark`
  /// in their environment. Throws Error where it cannot be started.
  Child(std::vector<std::string> words, const std::string& output, const std::string& mark);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills the process and waits for it, unless wait() has returned.
  ~Child();

  void kill();
  ExitStatus wait();
  /// Its exit status; nullopt while it runs.
  std::optional<ExitStatus> ended();

 private:
  void keep(int status);

  pid_t pid_ = -1;
  std::optional<ExitStatus> status_;
};

/// The processes with `mark` in their environment, except those that have ended and only wait to be reaped.
std::vector<pid_t> processes_marked(const std::string& mark);

}  // namespace nestwright::bench
