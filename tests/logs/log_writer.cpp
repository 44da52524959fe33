// A process of its own for the tests of the log:
//
// - `log_writer write FILE FIRST COUNT` records COUNT trials of points from FIRST on, prints "ack N" when each is
//   durable;
// - `log_writer begin FILE FIRST COUNT` only commits them, prints "ack" and waits to be killed;
// - `log_writer contain FILE FIRST COUNT` does the same in a container, whose processes others do not see;
// - `log_writer open FILE read|write` opens it as a user without rights, prints "opened" or the message;
// - `log_writer fill FOLDER` mounts a tiny disk there, invisible to others, and writes until it is full;
// - `log_writer merge FROM TO` prints "begins" and merges two databases.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "logs/upkeep/merge.h"
#include "nestwright/database.h"
#include "nestwright/error.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

void write_trials(TuningLog& log, int first, int count) {
  const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
  constexpr int kBatch = 8;
  for (int start = 0, number = 0; start < count; start += kBatch, ++number) {
    const Batch batch = log.commit_batch(session, number, points(first + start, std::min(kBatch, count - start)));
    for (std::size_t i = 0; i < batch.ids.size(); ++i) {
      const int point = static_cast<int>(batch.points[i].config.find("unroll_k")->value[0]);
      log.record(session, batch.ids[i], timed(100 + point));
      say("ack " + std::to_string(point));
    }
  }
  log.end_session(session, SessionStatus::kDone, "all written");
  say("done");
}

int fill(const std::string& folder) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tiny", folder.c_str(), "tmpfs", 0, "size=512k") != 0) {
    say("cannot mount");
    return 0;
  }
  const std::string file = folder + "/log.db";
  try {
    TuningLog log = TuningLog::open(file, OpenMode::kWrite);
    write_trials(log, 0, 100000);
  } catch (const LogError& error) {
    say(error.what());
  }
  // Everything that was acknowledged must still exist.
  say("kept " + std::to_string(TuningLog::open(file, OpenMode::kRead).trials({}).size()));
  return 0;
}

/// Continues the caller as the first process of a container, which ends with the process outside.
bool enter_container() {
  if (unshare(CLONE_NEWPID) != 0) return false;
  const pid_t inside = fork();
  if (inside > 0) {
    waitpid(inside, nullptr, 0);
    _exit(0);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return inside == 0;
}

int run(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "fill" && argc == 3) return fill(argv[2]);
  if (mode == "merge" && argc == 4) {
    say("begins");
    merge_log(argv[2], argv[3]);
    return 0;
  }
  if (mode == "open" && argc == 4) {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setuid(kNobody) != 0) return 1;
    TuningLog log = TuningLog::open(argv[2], argv[3] == std::string("read") ? OpenMode::kRead : OpenMode::kWrite);
    say("opened " + std::to_string(log.trials({}).size()));
    return 0;
  }
  if (argc != 5) return 2;
  if (mode == "contain" && !enter_container()) {
    say("cannot unshare");
    return 0;
  }
  TuningLog log = TuningLog::open(argv[2], OpenMode::kWrite);
  const int first = std::atoi(argv[3]), count = std::atoi(argv[4]);
  if (mode == "write") {
    write_trials(log, first, count);
  } else {
    log.commit_batch(log.begin_session(task_of(matmul(512, 512, 512)), info()), 0, points(first, count));
    say("ack");
    pause();
  }
  return 0;
}

}  // namespace
}  // namespace nestwright

int main(int argc, char** argv) {
  try {
    return nestwright::run(argc, argv);
  } catch (const nestwright::Error& error) {
    nestwright::say(error.what());
    return 1;
  }
}
