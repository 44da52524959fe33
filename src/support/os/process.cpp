#include "support/os/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

#include "nestwright/error.h"
#include "support/base/sanitizer.h"
#include "support/os/descriptors.h"

extern char** environ;

namespace nestwright {

namespace {

constexpr int kFirstInheritedFd = 3;

void require(int error, const SpawnOptions& options) {
  if (error == 0) return;
  const std::string reason = descriptor_error_text(error);
  throw Error("cannot start " + options.executable +
              (error == EMFILE ? ": " + reason : " (" + reason + "); check that the file is there and executable"));
}

struct FileActions {
  posix_spawn_file_actions_t value;
  FileActions() { posix_spawn_file_actions_init(&value); }
  ~FileActions() { posix_spawn_file_actions_destroy(&value); }
};

struct Attributes {
  posix_spawnattr_t value;
  Attributes() {
    posix_spawnattr_init(&value);
    sigset_t blocked, defaults;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);
    sigfillset(&defaults);
    posix_spawnattr_setsigmask(&value, &blocked);
    posix_spawnattr_setsigdefault(&value, &defaults);
    posix_spawnattr_setflags(&value, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  ~Attributes() { posix_spawnattr_destroy(&value); }
};

/// This process's environment with the options' additions, in the form that exec takes.
std::vector<char*> environment_of(const SpawnOptions& options) {
  std::vector<char*> all;
  for (const std::string& added : options.environment) all.push_back(const_cast<char*>(added.c_str()));
  for (char** own = environ; *own != nullptr; ++own) {
    const std::string_view name(*own, std::strcspn(*own, "="));
    const bool is_replaced =
        std::any_of(options.environment.begin(), options.environment.end(), [&](const std::string& added) {
          return added.size() > name.size() && added.starts_with(name) && added[name.size()] == '=';
        });
    if (!is_replaced) all.push_back(*own);
  }
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::string ExitStatus::str() const {
  if (!signaled) return code == kUnknownCode ? "an unknown exit code" : "exit code " + std::to_string(code);
  const char* name = sigabbrev_np(code);
  return name ? std::string("SIG") + name : "signal " + std::to_string(code);
}

ChildProcess::ChildProcess(const SpawnOptions& options) {
  stderr_ = make_memory_file("nestwright-stderr");
  FileActions actions;
  // Descriptors are first duplicated above those of the child, so that assigning it its 3, 4, ... never overwrites one
  // that is still to be assigned.
  const int first_parked = kFirstInheritedFd + static_cast<int>(options.inherited_fds.size());
  std::vector<UniqueFd> parked;
  const auto park = [&](int fd) {
    parked.emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, first_parked));
    if (parked.back().get() < 0) require(errno == EINVAL ? EMFILE : errno, options);  // EINVAL: above the limit
    return parked.back().get();
  };
  require(posix_spawn_file_actions_addopen(&actions.value, 0, "/dev/null", O_RDONLY, 0), options);
  require(posix_spawn_file_actions_addopen(&actions.value, 1, "/dev/null", O_WRONLY, 0), options);
  require(posix_spawn_file_actions_adddup2(&actions.value, park(stderr_.get()), 2), options);
  int number = kFirstInheritedFd;
  for (int fd : options.inherited_fds) {
    require(posix_spawn_file_actions_adddup2(&actions.value, park(fd), number++), options);
  }
  require(posix_spawn_file_actions_addclosefrom_np(&actions.value, number), options);

  std::vector<std::string> arguments = options.arguments;
  arguments.insert(arguments.begin(), options.executable);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  Attributes attributes;
  std::vector<char*> environment = environment_of(options);
  require(posix_spawn(&pid_, options.executable.c_str(), &actions.value, &attributes.value, argv.data(),
                      environment.data()),
          options);
}

ChildProcess::~ChildProcess() {
  if (status_) return;
  kill();
  wait();
}

void ChildProcess::kill() {
  if (!status_) ::kill(pid_, SIGKILL);
}

ExitStatus ChildProcess::wait() {
  if (!status_) {
    int status = 0;
    pid_t got = -1;
    do {
      got = waitpid(pid_, &status, 0);
    } while (got < 0 && errno == EINTR);
    // A program that ignores SIGCHLD gets no exit statuses; then all that is known is that the child is gone.
    if (got != pid_) {
      status_ = ExitStatus{false, ExitStatus::kUnknownCode};
    } else if (WIFSIGNALED(status)) {
      status_ = ExitStatus{true, WTERMSIG(status)};
    } else {
      status_ = ExitStatus{false, WEXITSTATUS(status)};
    }
  }
  return *status_;
}

std::optional<ExitStatus> ChildProcess::wait_for(std::int64_t timeout_ns) {
  if (status_) return status_;
  // By number, because the header of glibc 2.36 declares pidfd_open without C linkage.
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd entry{pidfd.get(), POLLIN, 0};
  const int timeout_ms = static_cast<int>(std::min<std::int64_t>((timeout_ns + 999'999) / 1'000'000, 1'000'000'000));
  int n = 0;
  do {
    n = poll(&entry, 1, timeout_ms);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return std::nullopt;
  return wait();
}

std::string ChildProcess::stderr_text() const {
  constexpr off_t kTail = 4096;
  const off_t size = lseek(stderr_.get(), 0, SEEK_END);
  if (size <= 0) return {};
  std::string text(static_cast<std::size_t>(std::min(size, kTail)), '\0');
  const ssize_t n = pread(stderr_.get(), text.data(), text.size(), std::max<off_t>(0, size - kTail));
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return text;
}

std::string ChildProcess::stderr_tail() const {
  const std::string text = stderr_text();
  const std::size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return {};
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? -1 : begin));
}

void exit_with_parent(int fd) {
  // The thread has its own descriptor, so that closing `fd` during exit does not look like the end of the parent.
  std::thread([watched = dup(fd)] {
    pollfd entry{watched, 0, 0};  // no events requested: hang-ups and errors are always reported
    while (poll(&entry, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(0);
  }).detach();
}

void limit_this_process(std::int64_t memory_bytes) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // If the system runs out of memory, it kills this process before the user's.
  const UniqueFd score(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kFirst = "1000";
  [[maybe_unused]] const ssize_t written = write(score.get(), kFirst.data(), kFirst.size());
  if (memory_bytes > 0 && !kIsSanitized) {
    const rlimit memory{static_cast<rlim_t>(memory_bytes), static_cast<rlim_t>(memory_bytes)};
    setrlimit(RLIMIT_AS, &memory);
  }
}

}  // namespace nestwright
