#include "measure/bench.h"
#include "measure/protocol.h"
#include "measure/roles.h"
#include "support/error.h"
#include "target/target.h"

namespace nestwright {
namespace {

std::unique_ptr<Bench> make_bench(const RunnerSetup& setup) {
  if (setup.target.empty()) return make_cpu_bench(setup);
  return make_device_bench(setup, Target::parse(setup.target));
}

RunnerReply handle(Bench& bench, const RunnerRequest& request) {
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

}  // namespace

int run_runner_role(Channel& channel) {
  std::string message;
  channel.send(encode_hello());
  if (channel.receive(message) != Channel::Status::kMessage) return 0;
  const std::unique_ptr<Bench> bench = make_bench(decode_runner_setup(message));
  channel.send(encode(RunnerReply{}));
  while (channel.receive(message) == Channel::Status::kMessage) {
    channel.send(encode(handle(*bench, decode_runner_request(message))));
  }
  return 0;
}

}  // namespace nestwright
