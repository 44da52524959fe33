// A run of another program whose output is kept in a file, and which may be killed at any moment: unlike the product's
// own ChildProcess it is found again, with all that it started, by a mark in its environment. Thread rule: one thread
// at a time.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "support/process.h"

namespace nestwright::bench {

/// The folder of this executable: nestwright lies beside it.
std::string own_folder();

class Child {
 public:
  /// Standard output goes to `output`, standard error to `output`.err. `mark` ends up in the environment, also in that
  /// of whatever it starts. Throws Error.
  Child(std::vector<std::string> words, const std::string& output, const std::string& mark);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills it and waits, unless it has been waited for.
  ~Child();

  void kill();
  ExitStatus wait();
  /// Nothing while it runs.
  std::optional<ExitStatus> ended();

 private:
  void keep(int status);

  pid_t pid_ = -1;
  std::optional<ExitStatus> status_;
};

/// Processes that carry the mark and are not merely waiting to be reaped.
std::vector<pid_t> processes_marked(const std::string& mark);

}  // namespace nestwright::bench
