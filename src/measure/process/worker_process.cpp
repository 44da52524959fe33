#include "measure/process/worker_process.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "measure/process/protocol.h"
#include "support/base/error.h"

namespace nestwright {

namespace {

constexpr std::int64_t kStartTimeoutNs = 30'000'000'000;
constexpr std::int64_t kDeathTimeoutNs = 20'000'000;  // from the end of its channel to its exit

SpawnOptions spawn_options(const std::string& path, const std::string& role, std::int64_t memory_bytes,
                           const std::vector<int>& fds, const std::vector<std::string>& environment, int channel_fd) {
  SpawnOptions options{path, {role, std::to_string(memory_bytes)}, {channel_fd}, environment};
  options.inherited_fds.insert(options.inherited_fds.end(), fds.begin(), fds.end());
  return options;
}

}  // namespace

[[gnu::weak]] const char* installed_worker() { return nullptr; }

std::string worker_path() {
  std::string path;
  if (const char* given = std::getenv("NESTWRIGHT_WORKER"); given && *given) {
    path = given;
  } else {
    std::error_code ignored;
    path = (std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "nestwright-worker").string();
    const char* const installed = installed_worker();
    if (access(path.c_str(), X_OK) != 0 && installed != nullptr) path = installed;
  }
  if (access(path.c_str(), X_OK) != 0) {
    throw Error("there is no executable " + path +
                "; install nestwright-worker there, or set NESTWRIGHT_WORKER to where it is");
  }
  return path;
}

WorkerProcess::WorkerProcess(const std::string& role, std::int64_t memory_bytes, const std::vector<int>& fds,
                             const std::vector<std::string>& environment)
    : WorkerProcess(worker_path(), role, memory_bytes, fds, environment, Channel::make_pair()) {}

// The worker's end is closed here on return, so that the channel closes when the worker dies.
WorkerProcess::WorkerProcess(const std::string& path, const std::string& role, std::int64_t memory_bytes,
                             const std::vector<int>& fds, const std::vector<std::string>& environment,
                             std::pair<UniqueFd, UniqueFd> ends)
    : path_(path),
      channel_(std::move(ends.first)),
      process_(spawn_options(path, role, memory_bytes, fds, environment, ends.second.get())) {}

void WorkerProcess::expect_ready() {
  std::string hello;
  if (channel_.receive(hello, kStartTimeoutNs) != Channel::Status::kMessage) {
    throw Error("the worker " + path_ + " did not start (" + describe_exit() +
                "); run it by hand to see what it lacks");
  }
  expect_hello(hello);
}

std::string WorkerProcess::describe_exit() {
  if (!process_.wait_for(kDeathTimeoutNs)) {
    process_.kill();
    status_ = process_.wait();
    return "it wrote what is no message into its channel";
  }
  status_ = process_.wait();
  const std::string words = process_.stderr_tail();
  return words.empty() ? status_.str() : status_.str() + ": " + words;
}

}  // namespace nestwright
