// The bench on which a runner checks and times candidates: the CPU or a device. Private to measure/.
// Thread rule: one thread at a time.
#pragma once

#include <memory>

#include "measure/process/protocol.h"
#include "nestwright/target.h"

namespace nestwright {

class Bench {
 public:
  virtual ~Bench() = default;
  /// Each answers one kind of request. The failure of a candidate is an outcome of the reply; an exception ends the
  /// runner.
  virtual RunnerReply load(const RunnerRequest& request) = 0;
  virtual RunnerReply check_result(const RunnerRequest& request) = 0;
  virtual RunnerReply sample(const RunnerRequest& request) = 0;
  virtual RunnerReply surroundings() = 0;
  virtual void unload(int id) = 0;
};

/// Make a bench. Throw Error if the tensors cannot be mapped or do not fit on the device, DeviceError if there is no
/// device.
std::unique_ptr<Bench> make_cpu_bench(const RunnerSetup& setup);
std::unique_ptr<Bench> make_device_bench(const RunnerSetup& setup, const Target& target);

}  // namespace nestwright
