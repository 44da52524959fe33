#include "measure/process/worker_process.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "measure/process/protocol.h"
#include "nestwright/error.h"

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

/// The folder of libnestwright.so; nullopt in a program that is linked with the static library, whose file the loader
/// knows as it was called, perhaps relative to another working directory.
std::optional<std::filesystem::path> folder_of_library() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&folder_of_library), &info) == 0) return std::nullopt;
  const std::filesystem::path file = info.dli_fname;
  return file.is_absolute() ? std::optional(file.parent_path()) : std::nullopt;
}

/// Where the worker may be, in the order of preference; the first path is never empty.
std::vector<std::string> possible_worker_paths() {
  constexpr const char* kName = "nestwright-worker";
  std::error_code ignored;
  std::vector<std::string> paths = {std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / kName};
  if (const std::optional<std::filesystem::path> library = folder_of_library()) {
    paths.push_back(*library / kName);
    paths.push_back(*library / NESTWRIGHT_BINARIES_FROM_LIBRARY / kName);
  }
  if (const char* const installed = installed_worker()) paths.emplace_back(installed);
  return paths;
}

bool is_executable(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

}  // namespace

[[gnu::weak]] const char* installed_worker() { return nullptr; }

std::string worker_path() {
  std::string path;
  if (const char* given = std::getenv("NESTWRIGHT_WORKER"); given && *given) {
    path = given;
  } else {
    const std::vector<std::string> paths = possible_worker_paths();
    const auto found = std::find_if(paths.begin(), paths.end(), is_executable);
    path = found != paths.end() ? *found : paths.front();
  }
  if (!is_executable(path)) {
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
