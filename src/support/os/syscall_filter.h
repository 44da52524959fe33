// Restricts the system calls of this process permanently, by the kernel's seccomp, before it runs untrusted code.
// x86-64 only: elsewhere has_syscall_filter() is false.
// Thread rule: applies to all threads, existing and future.
#pragma once

#include <cstdint>
#include <string_view>

namespace nestwright {

/// What to deny in addition to what is always denied.
struct SyscallPolicy {
  /// The effect of a denied call: it fails with EPERM, or raises SIGSYS.
  enum class Denial : std::uint8_t { kError, kSignal };
  Denial denial = Denial::kError;
  bool may_start_programs = false;  ///< by posix_spawn; a fork that copies the process is never allowed
  bool may_open_files = true;       ///< also create, rename, remove and change them
};

/// Whether the kernel supports the filter.
bool has_syscall_filter();

/// From now on this process cannot fork, trace another process, or make sockets other than local ones, nor do what the
/// policy denies. Returns false if the kernel refuses the filter.
bool install_syscall_filter(const SyscallPolicy& policy);

/// Returns the name of a system call that a filter may deny, e.g. "fork"; "a system call" for other numbers.
std::string_view refused_syscall_name(int number);

}  // namespace nestwright
