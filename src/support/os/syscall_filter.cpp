#include "support/os/syscall_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <vector>

namespace nestwright {

#if defined(__x86_64__)

namespace {

struct Refused {
  int number;
  std::string_view name;
};
constexpr Refused kAlways[] = {{SYS_fork, "fork"}, {SYS_ptrace, "ptrace"}};
constexpr Refused kByArgument[] = {{SYS_clone, "clone"}, {SYS_socket, "socket"}};
constexpr Refused kPrograms[] = {{SYS_vfork, "vfork"}, {SYS_execve, "execve"}, {SYS_execveat, "execveat"}};
constexpr Refused kFiles[] = {
    {SYS_open, "open"},           {SYS_openat, "openat"},     {SYS_openat2, "openat2"},   {SYS_creat, "creat"},
    {SYS_unlink, "unlink"},       {SYS_unlinkat, "unlinkat"}, {SYS_rename, "rename"},     {SYS_renameat, "renameat"},
    {SYS_renameat2, "renameat2"}, {SYS_mkdir, "mkdir"},       {SYS_mkdirat, "mkdirat"},   {SYS_rmdir, "rmdir"},
    {SYS_link, "link"},           {SYS_linkat, "linkat"},     {SYS_symlink, "symlink"},   {SYS_symlinkat, "symlinkat"},
    {SYS_truncate, "truncate"},   {SYS_chmod, "chmod"},       {SYS_fchmodat, "fchmodat"}, {SYS_chown, "chown"},
    {SYS_lchown, "lchown"},       {SYS_fchownat, "fchownat"}, {SYS_mknod, "mknod"},       {SYS_mknodat, "mknodat"},
    {SYS_utimensat, "utimensat"}};

constexpr int kFirstX32 = 0x40000000;

/// A program for the kernel's packet filter machine, which has one accumulator and only forward jumps.
class FilterProgram {
 public:
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void mask(std::uint32_t bits) { add(BPF_ALU | BPF_AND | BPF_K, bits); }
  void give(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
  /// Skips the next `n` instructions if the accumulator is (or is not) `value`.
  void skip_unless_equal(std::uint32_t value, std::uint8_t n) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n); }
  void skip_if_equal(std::uint32_t value, std::uint8_t n) { add(BPF_JMP | BPF_JEQ | BPF_K, value, n, 0); }
  void skip_if_less(std::uint32_t value, std::uint8_t n) { add(BPF_JMP | BPF_JGE | BPF_K, value, 0, n); }
  void give_if_equal(std::uint32_t value, std::uint32_t action) {
    skip_unless_equal(value, 1);
    give(action);
  }

  std::vector<sock_filter>& code() { return code_; }

 private:
  void add(int operation, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(operation), if_true, if_false, value});
  }
  std::vector<sock_filter> code_;
};

/// The low half of the first argument; flags and families fit in it.
constexpr std::size_t kFirstArgument = offsetof(seccomp_data, args);

FilterProgram program_of(const SyscallPolicy& policy) {
  const std::uint32_t denial =
      policy.denial == SyscallPolicy::Denial::kSignal ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EPERM;
  FilterProgram program;
  program.load(offsetof(seccomp_data, arch));
  program.skip_if_equal(AUDIT_ARCH_X86_64, 1);
  program.give(SECCOMP_RET_KILL_PROCESS);
  program.load(offsetof(seccomp_data, nr));
  program.skip_if_less(kFirstX32, 1);
  program.give(SECCOMP_RET_KILL_PROCESS);
  // The filter cannot read clone3's flags, which are behind a pointer. With ENOSYS the C library falls back to clone.
  program.give_if_equal(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  program.give_if_equal(SYS_io_uring_setup, SECCOMP_RET_ERRNO | ENOSYS);
  const auto refuse = [&](std::span<const Refused> calls) {
    for (const Refused& call : calls) program.give_if_equal(static_cast<std::uint32_t>(call.number), denial);
  };
  refuse(kAlways);
  if (!policy.may_start_programs) refuse(kPrograms);
  if (!policy.may_open_files) refuse(kFiles);

  const std::uint32_t shared = policy.may_start_programs ? CLONE_VM : CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
  program.skip_unless_equal(SYS_clone, 5);
  program.load(kFirstArgument);
  program.mask(shared);
  program.skip_unless_equal(shared, 1);
  program.give(SECCOMP_RET_ALLOW);
  program.give(denial);

  program.skip_unless_equal(SYS_socket, 4);
  program.load(kFirstArgument);
  program.give_if_equal(AF_UNIX, SECCOMP_RET_ALLOW);
  program.give(denial);
  program.give(SECCOMP_RET_ALLOW);
  return program;
}

}  // namespace

bool has_syscall_filter() {
  const std::uint32_t action = SECCOMP_RET_TRAP;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool install_syscall_filter(const SyscallPolicy& policy) {
  FilterProgram filter = program_of(policy);
  const sock_fprog program{static_cast<unsigned short>(filter.code().size()), filter.code().data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

std::string_view refused_syscall_name(int number) {
  for (const std::span<const Refused> calls : {std::span<const Refused>(kAlways), std::span<const Refused>(kByArgument),
                                               std::span<const Refused>(kPrograms), std::span<const Refused>(kFiles)}) {
    const auto found = std::find_if(calls.begin(), calls.end(), [&](const Refused& r) { return r.number == number; });
    if (found != calls.end()) return found->name;
  }
  return "a system call";
}

#else

bool has_syscall_filter() { return false; }
bool install_syscall_filter(const SyscallPolicy&) { return false; }
std::string_view refused_syscall_name(int) { return "a system call"; }

#endif

}  // namespace nestwright
