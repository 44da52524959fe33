#include "support/os/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nestwright/error.h"
#include "support/base/clock.h"
#include "support/os/channel.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

SpawnOptions shell(std::string script, std::vector<int> fds = {}) {
  return {"/bin/sh", {"-c", std::move(script)}, fds};
}

TEST(ChildProcess, TellsHowItEnded) {
  ChildProcess three(shell("exit 3"));
  EXPECT_EQ(three.wait().str(), "exit code 3");
  ChildProcess aborted(shell("kill -ABRT $$"));
  const ExitStatus status = aborted.wait();
  EXPECT_TRUE(status.signaled);
  EXPECT_EQ(status.code, SIGABRT);
  EXPECT_EQ(status.str(), "SIGABRT");
}

TEST(ChildProcess, AnExitCodeThatTheSystemDoesNotTellIsNoSuccess) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  ChildProcess child(shell("exit 3"));
  const ExitStatus status = child.wait();
  signal(SIGCHLD, before);
  EXPECT_FALSE(status.signaled);
  EXPECT_EQ(status.code, ExitStatus::kUnknownCode);
  EXPECT_EQ(status.str(), "an unknown exit code");
}

TEST(ChildProcess, WaitsWithALimitAndIsKilled) {
  ChildProcess child(shell("exec sleep 100"));
  EXPECT_FALSE(child.wait_for(20'000'000));
  child.kill();
  const auto status = child.wait_for(kSecond);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->str(), "SIGKILL");
}

TEST(ChildProcess, ItsEnvironmentIsOursWithWhatIsAdded) {
  ASSERT_EQ(setenv("NESTWRIGHT_TEST_A", "ours", 1), 0);
  ASSERT_EQ(setenv("NESTWRIGHT_TEST_AB", "kept", 1), 0);
  SpawnOptions options = shell("echo $NESTWRIGHT_TEST_A $NESTWRIGHT_TEST_AB $NESTWRIGHT_TEST_B >&2");
  options.environment = {"NESTWRIGHT_TEST_A=replaced", "NESTWRIGHT_TEST_B=new"};
  ChildProcess child(options);
  EXPECT_EQ(child.wait().str(), "exit code 0");
  EXPECT_EQ(child.stderr_tail(), "replaced kept new");
}

TEST(ChildProcess, DoesNotOutliveItsHandle) {
  pid_t pid = 0;
  {
    ChildProcess child(shell("exec sleep 100"));
    pid = child.pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1) << "gone and reaped";
}

TEST(ChildProcess, InheritsTheDescriptorsGivenAndNoOthers) {
  auto [ours, theirs] = Channel::make_pair();
  auto [ours2, theirs2] = Channel::make_pair();
  // A descriptor that is inheritable by accident.
  const UniqueFd stray(dup(ours.get()));
  ChildProcess child(shell("ls /proc/self/fd | tr '\\n' ' ' >&4; printf first >&3", {theirs.get(), theirs2.get()}));
  theirs = UniqueFd();
  theirs2 = UniqueFd();
  child.wait();
  char buffer[64] = {};
  EXPECT_EQ(read(ours.get(), buffer, sizeof buffer), 5);
  EXPECT_STREQ(buffer, "first");
  std::string listed(64, '\0');
  listed.resize(static_cast<std::size_t>(read(ours2.get(), listed.data(), listed.size())));
  EXPECT_EQ(listed.substr(0, 10), "0 1 2 3 4 ");
  EXPECT_LE(listed.size(), 12u) << "the folder that ls has open, and nothing else: " << listed;
}

TEST(ChildProcess, KeepsTheLastLineOfStandardError) {
  ChildProcess child(shell("echo one >&2; echo 'LLVM ERROR: out of registers' >&2; echo >&2"));
  child.wait();
  EXPECT_EQ(child.stderr_tail(), "LLVM ERROR: out of registers");
  ChildProcess silent(shell("exit 0"));
  silent.wait();
  EXPECT_EQ(silent.stderr_tail(), "");
}

TEST(ChildProcess, IsDeafToWhatIsForTheWholeGroup) {
  ChildProcess child(shell("kill -INT $$; kill -TERM $$; kill -HUP $$; exit 4"));
  EXPECT_EQ(child.wait().str(), "exit code 4");
}

TEST(ChildProcess, SaysWhatCannotBeStarted) {
  try {
    ChildProcess child({"/no/such/program", {}, {}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "cannot start /no/such/program (No such file or directory); check that the file is there and "
                 "executable");
  }
}

/// Limits how many files this process may have open.
class FileLimit {
 public:
  explicit FileLimit(rlim_t files) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit changed{files, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &changed);
  }
  ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(ChildProcess, FewDescriptorsAreEnough) {
  const FileLimit limit(40);
  auto [ours, theirs] = Channel::make_pair();
  ChildProcess child(shell("printf first >&3", {theirs.get()}));
  EXPECT_EQ(child.wait().str(), "exit code 0");
  char buffer[64] = {};
  EXPECT_EQ(read(ours.get(), buffer, sizeof buffer), 5);
}

TEST(ChildProcess, TooFewDescriptorsAreNamed) {
  const UniqueFd next(dup(0));
  const std::string limit = std::to_string(next.get() + 1);
  const FileLimit limited(static_cast<rlim_t>(next.get() + 1));
  const std::string advice =
      "Too many open files: this process may have " + limit + " of them; raise the limit, as in ulimit -n 1024";
  EXPECT_EQ(message<Error>([] { Channel::make_pair(); }), "cannot make a socket pair: " + advice);
  EXPECT_EQ(message<Error>([] { ChildProcess(shell("exit 0")); }), "cannot make a file in memory: " + advice);
  const FileLimit one_more(static_cast<rlim_t>(next.get() + 2));
  const std::string more = std::to_string(next.get() + 2);
  EXPECT_EQ(message<Error>([] { ChildProcess(shell("exit 0")); }),
            "cannot start /bin/sh: Too many open files: this process may have " + more +
                " of them; raise the limit, as in ulimit -n 1024");
}

}  // namespace
}  // namespace nestwright
