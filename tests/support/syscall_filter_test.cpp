#include "support/os/syscall_filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "support/base/sanitizer.h"

namespace nestwright {
namespace {

using Denial = SyscallPolicy::Denial;

class SyscallFilter : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kIsSanitized) GTEST_SKIP() << "a sanitizer's runtime starts processes of its own";
    if (!has_syscall_filter()) GTEST_SKIP() << "this kernel has no seccomp";
  }

  template <class Predicate>
  void expect_filtered(const SyscallPolicy& policy, const Predicate& is_so) {
    EXPECT_EXIT(_exit(install_syscall_filter(policy) && is_so() ? 0 : 1), ::testing::ExitedWithCode(0), "");
  }
  template <class Action>
  void expect_killed(const SyscallPolicy& policy, const Action& action) {
    EXPECT_EXIT(
        {
          install_syscall_filter(policy);
          action();
          _exit(0);
        },
        ::testing::KilledBySignal(SIGSYS), "");
  }
};

bool spawns() {
  pid_t child = 0;
  char program[] = "/bin/true";
  char* arguments[] = {program, nullptr};
  if (posix_spawn(&child, program, nullptr, nullptr, arguments, nullptr) != 0) return false;
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(SyscallFilter, ThreadsStartAndProcessesDoNot) {
  expect_filtered({}, [] {
    bool ran = false;
    std::thread([&] { ran = true; }).join();
    return ran && fork() < 0 && errno == EPERM && !spawns();
  });
}

TEST_F(SyscallFilter, ProgramsMayStartWhereThePolicySaysSo) {
  expect_filtered({.may_start_programs = true}, [] { return spawns() && fork() < 0; });
}

TEST_F(SyscallFilter, SocketsAreLocalOnes) {
  expect_filtered({}, [] {
    return socket(AF_INET, SOCK_STREAM, 0) < 0 && socket(AF_INET6, SOCK_DGRAM, 0) < 0 &&
           socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
  });
}

TEST_F(SyscallFilter, FilesAreOpenedUnlessThePolicyForbidsIt) {
  expect_filtered({}, [] { return open("/dev/null", O_RDONLY) >= 0; });
  expect_filtered({.may_open_files = false}, [] { return open("/dev/null", O_RDONLY) < 0 && unlink("/nowhere") < 0; });
}

TEST_F(SyscallFilter, ADeniedCallMayRaiseASignal) {
  const SyscallPolicy policy{.denial = Denial::kSignal, .may_start_programs = false, .may_open_files = false};
  expect_killed(policy, [] { open("/dev/null", O_RDONLY); });
  expect_killed(policy, [] { syscall(SYS_fork); });
  expect_killed(policy, [] { socket(AF_INET, SOCK_STREAM, 0); });
}

TEST_F(SyscallFilter, CoversThreadsThatExist) {
  EXPECT_EXIT(
      {
        std::atomic<bool> filtered = false;
        std::thread other([&] {
          while (!filtered) std::this_thread::yield();
          _exit(socket(AF_INET, SOCK_STREAM, 0) < 0 ? 0 : 1);
        });
        filtered = install_syscall_filter({});
        other.join();
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(SyscallFilter, NamesWhatItRefuses) {
  EXPECT_EQ(refused_syscall_name(SYS_fork), "fork");
  EXPECT_EQ(refused_syscall_name(SYS_execve), "execve");
  EXPECT_EQ(refused_syscall_name(SYS_openat), "openat");
  EXPECT_EQ(refused_syscall_name(SYS_getpid), "a system call");
}

}  // namespace
}  // namespace nestwright
