#include <memory>
#include <string>

#include "measure/process/confinement.h"
#include "measure/process/protocol.h"
#include "measure/process/roles.h"
#include "measure/run/bench.h"
#include "nestwright/error.h"
#include "nestwright/target.h"

namespace nestwright {
namespace {

/// Makes the bench and confines this process as its kind of device permits.
std::unique_ptr<Bench> make_bench(const RunnerSetup& setup) {
  if (!setup.target.empty()) {
    const Target target = Target::parse(setup.target);
    confine_runner(target.device);
    return make_device_bench(setup, target);
  }
  confine_runner(DeviceKind::kCpu);
  std::unique_ptr<Bench> bench = make_cpu_bench(setup);
  confine_candidates();
  return bench;
}

RunnerReply answer(Bench& bench, const RunnerRequest& request) {
  switch (request.kind) {
    case RunnerRequest::Kind::kLoad:
      return bench.load(request);
    case RunnerRequest::Kind::kCheck:
      return bench.check_result(request);
    case RunnerRequest::Kind::kSample:
      return bench.sample(request);
    case RunnerRequest::Kind::kSurroundings:
      return bench.surroundings();
    case RunnerRequest::Kind::kUnload:
      bench.unload(request.id);
      return {};
  }
  throw InternalError("internal error: a request to the runner that is none of the known ones");
}

RunnerReply handle(Bench& bench, const RunnerRequest& request) {
  RunnerReply reply = answer(bench, request);
  reply.number = request.number;
  return reply;
}

}  // namespace

int run_runner_role(Channel& channel) {
  std::string message;
  channel.send(encode_hello());
  if (channel.receive(message) != Channel::Status::kMessage) return 0;
  const std::unique_ptr<Bench> bench = make_bench(decode_runner_setup(message));
  channel.send(encode(RunnerReply{}));
  while (channel.receive(message) == Channel::Status::kMessage) {
    if (!channel.send(encode(handle(*bench, decode_runner_request(message))))) {
      throw Error("its channel was closed");
    }
  }
  return 0;
}

}  // namespace nestwright
