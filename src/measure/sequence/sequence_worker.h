// Runs a CallSequence in a worker process, which is started on demand and replaced when it dies.
// Thread rule: one thread at a time. Nothing else should load the machine meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "measure/process/worker_process.h"
#include "measure/sequence/sequence.h"

namespace nestwright {

class SequenceWorker {
 public:
  /// Starts nothing yet. `data_fd` is a file of SequenceSetup's data_bytes; it and `setup` must outlive the worker.
  SequenceWorker(const SequenceSetup& setup, int data_fd) : setup_(setup), data_fd_(data_fd) {}

  /// Sends a request, to a new process if there is none, and returns the reply. Absent if a kernel failed, or the
  /// process died or did not answer within `limit_s` seconds of wall time; it is then gone, and failure() says why.
  /// Throws Error if the process does not start.
  std::optional<SequenceReply> ask(const SequenceRequest& request, double limit_s);
  /// Ends the process; the next ask() starts a new one.
  void drop() { worker_.reset(); }
  bool is_running() const { return worker_ != nullptr; }
  const SequenceSetup& setup() const { return setup_; }
  const std::string& failure() const { return failure_; }

 private:
  void ensure();

  const SequenceSetup& setup_;
  int data_fd_;
  std::unique_ptr<WorkerProcess> worker_;
  std::string failure_;
};

}  // namespace nestwright
