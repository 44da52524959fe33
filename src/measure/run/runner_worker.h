// The worker process in the role of a runner: started on demand, given one request at a time with a limit on CPU time,
// and replaced when it dies. Private to measure/.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "measure/process/protocol.h"
#include "measure/process/worker_process.h"
#include "measure/run/runner.h"
#include "measure/run/tensor_file.h"
#include "support/os/resident_size.h"
#include "support/os/scratch_folder.h"
#include "support/os/unique_fd.h"

namespace nestwright {

class RunnerWorker {
 public:
  /// Starts it. Throws as make_local_runner does.
  RunnerWorker(const CheckData& data, const RunnerOptions& options);

  /// Starts a new process if there is none. Throws Error if that fails.
  void ensure();
  /// Ends the process; the next ensure() starts a new one.
  void drop() { worker_.reset(); }
  /// Makes the inputs of large and small magnitudes if these are still missing; the process is then dropped.
  void prepare_thorough_checks();
  /// The seconds that prepare_thorough_checks() takes, as far as the inputs made before tell; 0: nothing is missing.
  double thorough_preparation_s() const { return tensors_.has_wide_to_come() ? tensors_.set_s() : 0; }
  /// The memory that the process may use beyond its size before the first candidate, copies for cold caches aside.
  std::int64_t room_bytes() const;
  bool is_running() const { return worker_ != nullptr; }

  /// Sends a request and returns the reply; absent if the process died or had to be killed, and then is gone. `limit_s`
  /// is the limit of CPU time per thread, and ten times as much of wall time; on a device, of wall time. The process is
  /// also killed if it uses more memory than RunnerOptions allows, and once RunnerOptions::seconds_left are over.
  std::optional<RunnerReply> ask(RunnerRequest request, double limit_s);
  /// After ask() returned nullopt: how the process ended while `doing` something ("checked"): the limit that it
  /// reached, or how it died and the location of the fault.
  struct End {
    Outcome outcome = Outcome::kCrash;  ///< kTimeout or kCrash
    std::string message;
    bool is_given_up = false;  ///< RunnerOptions::seconds_left were over
  };
  End end(const char* doing) const;

 private:
  bool is_device() const { return options_.target.device != DeviceKind::kCpu; }
  Channel::Status receive(std::string& message, double limit_s, std::int64_t poll_ns);
  /// Returns the limit that a request has reached; absent if none. `start_ns` is the worker's CPU time at its start.
  std::optional<End> reached_limit(double start_ns, double limit_s) const;
  std::string describe_fault() const;

  RunnerOptions options_;
  TensorFile tensors_;
  std::string checker_, device_;  ///< those of RunnerSetup
  UniqueFd fault_fd_;
  std::optional<ScratchFolder> device_files_;  ///< must outlive the worker
  std::unique_ptr<WorkerProcess> worker_;
  std::optional<ResidentSize> memory_;  ///< of the worker
  std::int64_t max_memory_bytes_ = 0, requests_ = 0;
  std::optional<End> reached_limit_;  ///< by the last request
  std::string exit_description_;
};

}  // namespace nestwright
