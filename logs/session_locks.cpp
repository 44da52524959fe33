#include "logs/session_locks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::chrono::seconds kTimeout(1);

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
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  for (;;) {
    if (file_.get() < 0) file_ = UniqueFd(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    const bool has_lock = file_.get() >= 0 && lock_all(session);
    const int error = has_lock ? 0 : errno;
    // Another process is removing the file, or works on a session of that number of a database that was here before.
    if (!has_lock && (error == EAGAIN || error == EACCES) && file_.get() >= 0) {
      if (std::chrono::steady_clock::now() > deadline) {
        throw LogError(
            fmt::format("session {} is held by another process in file '{}': wait until it has ended, or give another "
                        "file with --db",
                        session, path_));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    if (!has_lock) {
      throw LogError(
          fmt::format("file '{}', by which sessions are known to be alive, cannot be locked ({}): make its "
                      "folder writable, or give another file with --db",
                      path_, std::strerror(error)));
    }
    if (is_in_place()) break;
    file_ = UniqueFd();
  }
  held_.insert(session);
}

bool SessionLocks::lock_all(SessionId session) {
  const auto has_locked = [&](SessionId each) {
    struct flock lock = byte_of(each, F_WRLCK);
    return fcntl(file_.get(), F_OFD_SETLK, &lock) == 0;
  };
  // The file may have been replaced since the others were locked.
  return std::all_of(held_.begin(), held_.end(), has_locked) && has_locked(session);
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
