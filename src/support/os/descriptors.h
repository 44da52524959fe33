// Makes files in memory, and describes failures to make file descriptors.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "support/os/unique_fd.h"

namespace nestwright {

/// Returns the text of an errno of a call that makes a file descriptor; for EMFILE also the limit and how to raise it:
/// "Too many open files: this process may have 40 of them; raise the limit, as in ulimit -n 1024".
std::string descriptor_error_text(int error);

/// An empty file in memory that programs which are executed do not inherit. Throws Error.
UniqueFd make_memory_file(const char* name);

/// Writes all of the bytes at an offset of a file. Returns 0, or the errno of the failure: without memory for a file in
/// memory this fails, where a store to a mapping would end the process.
int write_all_at(int fd, const void* data, std::size_t bytes, std::int64_t at);

}  // namespace nestwright
