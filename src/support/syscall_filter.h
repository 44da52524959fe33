// System calls that this process refuses itself for good, by the kernel's seccomp: for processes that run code which
// may go wrong. Thread rule: covers all threads, those that exist and those to come. On processors other than x86-64
// there is none.
#pragma once

#include <cstdint>
#include <string_view>

namespace nestwright {

struct SyscallPolicy {
  /// What a call that is not allowed does: gives EPERM back, or raises SIGSYS.
  enum class Denial : std::uint8_t { kError, kSignal };
  Denial denial = Denial::kError;
  bool may_start_programs = false;  ///< posix_spawn; a fork that copies the process is never allowed
  bool may_open_files = true;       ///< and make, rename, remove or change those that there are
};

/// Whether the kernel has it.
bool has_syscall_filter();

/// From now on no process is forked, none is traced, no socket is made but local ones, and what the policy says.
/// False where the kernel refuses it.
bool install_syscall_filter(const SyscallPolicy& policy);

/// "fork", of the numbers that a filter may refuse; "a system call" of others.
std::string_view refused_syscall_name(int number);

}  // namespace nestwright
