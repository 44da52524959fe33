// nestwright-worker ROLE MEMORY_BYTES: started by Nestwright, with its channel as descriptor 3. Not for use by hand.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "measure/process/protocol.h"
#include "measure/process/roles.h"
#include "support/os/process.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "nestwright-worker is started by nestwright and is not for use by hand\n");
    return 2;
  }
  nestwright::exit_with_parent(nestwright::kWorkerChannelFd);
  nestwright::limit_this_process(std::strtoll(argv[2], nullptr, 10));
  nestwright::Channel channel{nestwright::UniqueFd(nestwright::kWorkerChannelFd)};
  try {
    if (std::strcmp(argv[1], "builder") == 0) return nestwright::run_builder_role(channel);
    if (std::strcmp(argv[1], "runner") == 0) return nestwright::run_runner_role(channel);
    if (std::strcmp(argv[1], "sequence") == 0) return nestwright::run_sequence_role(channel);
    std::fprintf(stderr, "nestwright-worker has no role \"%s\"\n", argv[1]);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "out of memory: its limit is %s bytes\n", argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  // A role that failed may have left threads running, which nothing waits for.
  std::_Exit(1);
}
