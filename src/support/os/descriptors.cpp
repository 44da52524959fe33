#include "support/os/descriptors.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "nestwright/error.h"

namespace nestwright {

std::string descriptor_error_text(int error) {
  std::string text = std::strerror(error);
  rlimit limit{};
  if (error != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0) return text;
  return text + ": this process may have " + std::to_string(limit.rlim_cur) +
         " of them; raise the limit, as in ulimit -n 1024";
}

UniqueFd make_memory_file(const char* name) {
  UniqueFd file(memfd_create(name, MFD_CLOEXEC));
  if (file.get() < 0) throw Error("cannot make a file in memory: " + descriptor_error_text(errno));
  return file;
}

int write_all_at(int fd, const void* data, std::size_t bytes, std::int64_t at) {
  for (const char* from = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = pwrite(fd, from, bytes, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    from += written;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace nestwright
