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
  /// ten times as much by the clock; on a device by the clock.
  std::optional<RunnerReply> ask(const RunnerRequest& request, double limit_s);
  /// After ask() gave nullopt: the limit that ended it, e.g. "1 s of CPU time"; empty where none did.
  const std::string& exceeded_limit() const { return exceeded_limit_; }
  /// How it died otherwise, while `doing` something ("checked"), and where its fault was.
  std::string last_words(const char* doing) const;

 private:
  bool is_device() const { return options_.target.device != DeviceKind::kCpu; }
  Channel::Status receive(std::string& message, double limit_s);
  std::string describe_fault() const;

  RunnerOptions options_;
  TensorFile tensors_;
  UniqueFd fault_fd_;
  std::optional<ScratchFolder> pocl_files_;  ///< outlives the worker
  std::unique_ptr<WorkerProcess> worker_;
  std::string exceeded_limit_, last_words_;
};

}  // namespace nestwright
