// The parent's handle of a contestant: a process that is stopped (SIGSTOP) except while it is asked for a sample, so
// that idle pools of threads that spin cannot disturb the one that runs. Thread rule: one thread at a time; to be used
// from the thread that lives longest, for contestants end with it.
#pragma once

#include <memory>
#include <string>

#include "bench/compare/summary.h"
#include "support/channel.h"
#include "support/process.h"

namespace nestwright::bench {

/// What libraries read from the environment when their process starts: numbers of threads, and code paths that they
/// would not find by themselves. Call it before contestants are made.
void set_library_environment(int threads);

class Contestant {
 public:
  /// Starts `executable` (bench_contestant_...), waits until it has checked its result, and stops it. Throws Error with
  /// what it said where it refuses, dies or does not answer.
  Contestant(std::string name, const std::string& executable, const Problem& problem, int threads, int tensor_fd,
             const std::string& database);

  const std::string& name() const { return name_; }
  const std::string& detail() const { return detail_; }
  /// The mean of calls that take at least about 20 ms together, after one warm-up call. Throws Error where it died.
  Sample sample();

 private:
  std::string answer();
  void stop();

  std::string name_, detail_;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace nestwright::bench
