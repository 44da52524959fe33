#include "support/os/machine_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "nestwright/error.h"

namespace nestwright {
namespace {

// Short compared with a hold, and rare enough not to disturb the holder: each poll takes a microsecond of some core.
constexpr std::chrono::milliseconds kPollInterval{10};

std::vector<std::string> lock_folders() {
  if (const char* chosen = std::getenv("NESTWRIGHT_LOCK_DIR"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> folders{"/run/lock"};
  if (const char* own = std::getenv("XDG_RUNTIME_DIR"); own != nullptr && *own != '\0') folders.emplace_back(own);
  folders.emplace_back("/tmp");
  return folders;
}

// Returns -1 and sets errno if it cannot be opened. flock does not need write permission, so another user's file will
// do.
UniqueFd open_lock_file(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  // Without O_CREAT first: in a sticky folder the kernel may refuse it for files of other users (protected_regular).
  UniqueFd file(open(path.c_str(), kFlags));
  if (file.get() < 0 && errno == ENOENT) {
    constexpr mode_t kForAll = 0666;
    file = UniqueFd(open(path.c_str(), kFlags | O_CREAT | O_EXCL, kForAll));
    if (file.get() >= 0) {
      fchmod(file.get(), kForAll);  // regardless of the umask
    } else if (errno == EEXIST) {
      file = UniqueFd(open(path.c_str(), kFlags));  // another process was faster
    }
  }
  if (file.get() < 0) return file;
  struct stat status{};
  if (fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) return file;
  errno = EINVAL;
  return {};
}

bool try_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0; }

bool wait_for_lock(int fd, const std::function<bool()>& give_up) {
  while (!try_lock(fd)) {
    if (give_up()) return false;
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

}  // namespace

MachineLock::Hold::Hold(Hold&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), is_granted_(std::exchange(other.is_granted_, false)) {}

MachineLock::Hold::~Hold() {
  if (fd_ >= 0) flock(fd_, LOCK_UN);
}

MachineLock::MachineLock(const std::string& what) {
  const bool is_plain = std::all_of(
      what.begin(), what.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
  check(is_plain && !what.empty(), "a machine lock is named by small letters, digits and '-'");
  std::string refusals;
  for (const std::string& folder : lock_folders()) {
    const std::string name = folder + "/nestwright-" + what;
    UniqueFd lock = open_lock_file(name + ".lock");
    UniqueFd queue;
    if (lock.get() >= 0) queue = open_lock_file(name + ".queue.lock");
    if (queue.get() >= 0) {
      path_ = name + ".lock";
      lock_ = std::move(lock);
      queue_ = std::move(queue);
      return;
    }
    refusals += (refusals.empty() ? "" : ", ") + folder + " (" + std::strerror(errno) + ")";
  }
  message_ = "no lock file for taking turns with other tuners of this machine can be opened in " + refusals +
             ": set NESTWRIGHT_LOCK_DIR to a folder that all of them can write, or run one at a time";
}

MachineLock::Hold MachineLock::hold(const std::function<bool()>& give_up) {
  if (!is_available()) return {-1, true};
  if (!wait_for_lock(queue_.get(), give_up)) return {-1, false};
  const bool is_held = wait_for_lock(lock_.get(), give_up);
  flock(queue_.get(), LOCK_UN);
  return {is_held ? lock_.get() : -1, is_held};
}

}  // namespace nestwright
