// What a runner checks and times candidates on: the processor or a device. Private to measure/.
// Thread rule: one thread at a time.
#pragma once

#include <memory>

#include "measure/protocol.h"
#include "target/target.h"

namespace nestwright {

class Bench {
 public:
  virtual ~Bench() = default;
  /// One reply a request of that kind. Failures of candidates are replies; what is thrown ends the runner.
  virtual RunnerReply load(const RunnerRequest& request) = 0;
  virtual RunnerReply check_result(const RunnerRequest& request) = 0;
  virtual RunnerReply sample(const RunnerRequest& request) = 0;
  virtual RunnerReply surroundings() = 0;
  virtual void unload(int id) = 0;
};

/// Throw Error where the tensors cannot be mapped or the device has no room for them, DeviceError where there is none.
std::unique_ptr<Bench> make_cpu_bench(const RunnerSetup& setup);
std::unique_ptr<Bench> make_device_bench(const RunnerSetup& setup, const Target& target);

}  // namespace nestwright
