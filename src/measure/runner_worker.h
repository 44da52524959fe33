// The worker process in the runner's role: started when it is needed, asked one thing at a time under a limit of CPU
// time, replaced when it dies. Private to measure/. Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "measure/protocol.h"
#include "measure/runner.h"
#include "measure/tensor_file.h"
#include "measure/worker_process.h"
#include "support/resident_size.h"
#include "support/scratch_folder.h"
#include "support/unique_fd.h"

namespace nestwright {

class RunnerWorker {
 public:
  /// Starts it. Throws as make_local_runner does.
  RunnerWorker(const CheckData& data, const RunnerOptions& options);

  /// Starts a new one where there is none. Throws Error where that fails.
  void ensure();
  /// Ends it; the next ensure() starts a new one.
  void drop() { worker_.reset(); }
  bool is_there() const { return worker_ != nullptr; }

  /// The reply, or nullopt where it died or had to be killed; it is then gone. `limit_s`: CPU time of each thread, and
  /// ten times as much by the clock; on a device by the clock. It is killed, too, where it holds more memory than
  /// RunnerOptions says.
  std::optional<RunnerReply> ask(RunnerRequest request, double limit_s);
  /// After ask() gave nullopt: how it ended while `doing` something ("checked"): the limit that it reached, or how it
  /// died and where its fault was.
  struct End {
    Outcome outcome = Outcome::kCrash;  ///< kTimeout or kCrash
    std::string message;
  };
  End end(const char* doing) const;

 private:
  bool is_device() const { return options_.target.device != DeviceKind::kCpu; }
  Channel::Status receive(std::string& message, double limit_s, std::int64_t poll_ns);
  /// The limit that a request has reached; nothing where it has reached none. `start_ns`: the worker's CPU time at its
  /// start.
  std::optional<End> reached_limit(double start_ns, double limit_s) const;
  std::string describe_fault() const;

  RunnerOptions options_;
  TensorFile tensors_;
  std::string checker_;  ///< RunnerSetup::checker
  UniqueFd fault_fd_;
  std::optional<ScratchFolder> device_files_;  ///< outlives the worker
  std::unique_ptr<WorkerProcess> worker_;
  std::optional<ResidentSize> memory_;  ///< of the worker
  std::int64_t most_memory_bytes_ = 0, requests_ = 0;
  std::optional<End> reached_limit_;  ///< by the last request
  std::string last_words_;
};

}  // namespace nestwright
