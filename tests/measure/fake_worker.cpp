// A faulty worker. It obeys the names in the "program" or object that it is sent: abort, hang, swell, give up. With the
// name of a fault in the environment variable FAKE_WORKER_START, it fails before it is ready.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "measure/process/protocol.h"
#include "support/data/wire.h"
#include "support/os/channel.h"
#include "support/os/process.h"

namespace {

void go_wrong(const std::string& how) {
  if (how.find("abort") != std::string::npos) {
    std::fprintf(stderr, "LLVM ERROR: ran out of registers\n");
    std::abort();
  }
  if (how.find("segv") != std::string::npos) std::raise(SIGSEGV);
  if (how.find("exit") != std::string::npos) std::exit(9);
  if (how.find("hang") != std::string::npos) {
    for (volatile bool forever = true; forever;) {
    }
  }
  if (how.find("swell") != std::string::npos) {
    std::vector<char*> blocks;
    try {
      for (;;) std::memset(blocks.emplace_back(new char[16 << 20]), 1, 16 << 20);
    } catch (const std::bad_alloc&) {
      std::fprintf(stderr, "out of memory\n");
      std::exit(1);
    }
  }
}

}  // namespace

int main(int, char** argv) {
  using namespace nestwright;
  exit_with_parent(kWorkerChannelFd);
  limit_this_process(std::strtoll(argv[2], nullptr, 10));
  Channel channel{UniqueFd(kWorkerChannelFd)};
  if (const char* how = std::getenv("FAKE_WORKER_START")) {
    if (std::strcmp(how, "old") == 0) {
      channel.send(Encoder().i64(kProtocolVersion + 1).str());
    } else {
      go_wrong(how);
    }
  }
  channel.send(encode_hello());
  std::string message;
  channel.receive(message);  // the target
  while (channel.receive(message) == Channel::Status::kMessage) {
    const CompileRequest request = decode_compile_request(message);
    go_wrong(request.program);
    CompileReply reply;
    reply.object.object = request.program;
    reply.object.symbol = "fake";
    channel.send(encode(reply));
  }
  return 0;
}
