#include "logs/session_locks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "support/error.h"

namespace nestwright {
namespace {

struct flock byte_of(SessionId session, short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = session;
  lock.l_len = 1;
  return lock;
}

}  // namespace

void SessionLocks::hold(SessionId session) {
  for (;;) {
    if (file_.get() < 0) file_ = UniqueFd(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    struct flock lock = byte_of(session, F_WRLCK);
    // Waits at most for a process that is removing the file.
    if (file_.get() < 0 || fcntl(file_.get(), F_OFD_SETLKW, &lock) != 0) {
      throw LogError(
          fmt::format("file '{}', by which sessions are known to be alive, cannot be locked ({}): make its "
                      "folder writable, or give another file with --db",
                      path_, std::strerror(errno)));
    }
    if (is_in_place()) break;
    file_ = UniqueFd();
  }
  held_.insert(session);
}

void SessionLocks::release(SessionId session) {
  if (held_.erase(session) == 0) return;
  struct flock lock = byte_of(session, F_UNLCK);
  fcntl(file_.get(), F_OFD_SETLK, &lock);
  if (!held_.empty()) return;
  struct flock all = byte_of(0, F_WRLCK);
  all.l_len = 0;
  if (fcntl(file_.get(), F_OFD_SETLK, &all) == 0 && is_in_place()) unlink(path_.c_str());
  file_ = UniqueFd();
}

bool SessionLocks::is_in_place() const {
  struct stat ours{}, there{};
  return fstat(file_.get(), &ours) == 0 && stat(path_.c_str(), &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

bool SessionLocks::is_held(SessionId session) const { return held_.contains(session) || is_locked(session, 1); }

bool SessionLocks::is_any_held() const { return !held_.empty() || is_locked(0, 0); }

bool SessionLocks::is_locked(SessionId session, std::int64_t count) const {
  const UniqueFd file(open(path_.c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock = byte_of(session, F_WRLCK);
  lock.l_len = count;
  return file.get() >= 0 && fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace nestwright
