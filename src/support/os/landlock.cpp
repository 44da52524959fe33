#include "support/os/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "support/os/unique_fd.h"

namespace nestwright {

namespace {

// The header of Linux 6.1 ends at version 2 of the interface.
constexpr std::uint64_t kTruncate = 1ULL << 14;              // version 3
constexpr std::uint64_t kBindTcp = 1, kConnectTcp = 2;       // version 4
constexpr std::uint64_t kDeviceControl = 1ULL << 15;         // version 5
constexpr std::uint64_t kAbstractSockets = 1, kSignals = 2;  // version 6
struct Ruleset {
  std::uint64_t files, network, scopes;
};

constexpr std::uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
/// The rights that apply to files, not only to folders.
constexpr std::uint64_t kOfFiles =
    kExecute | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kDeviceControl;

/// All rights that `version` of the interface defines.
std::uint64_t file_rights(int version) {
  std::uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kDeviceControl;
  return rights;
}

void allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const UniqueFd fd(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status{};
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) return;
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  const landlock_path_beneath_attr rule{rights, fd.get()};
  syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

}  // namespace

int landlock_version() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

bool restrict_files_and_network(const FileAccess& access) {
  const int version = landlock_version();
  if (version == 0) return false;
  const std::uint64_t all = file_rights(version);
  const Ruleset handled{all, version >= 4 ? kBindTcp | kConnectTcp : 0, version >= 6 ? kAbstractSockets | kSignals : 0};
  const std::size_t size = version >= 6   ? sizeof(Ruleset)
                           : version >= 4 ? offsetof(Ruleset, scopes)
                                          : offsetof(Ruleset, network);
  const UniqueFd ruleset(static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, size, 0)));
  if (ruleset.get() < 0) return false;
  for (const std::string& path : access.readable) allow(ruleset.get(), path, kRead);
  for (const std::string& path : access.writable) allow(ruleset.get(), path, all & ~kExecute);
  for (const std::string& path : access.executable) allow(ruleset.get(), path, kRead | kExecute);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

}  // namespace nestwright
