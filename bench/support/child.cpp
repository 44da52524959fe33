#include "bench/support/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "nestwright/error.h"

extern char** environ;

namespace nestwright::bench {
namespace {

constexpr const char* kMark = "NESTWRIGHT_BENCH_MARK=";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The state of a process: "R", "S", ..., "Z" for one that has ended.
char state_of(const std::filesystem::path& process) {
  const std::string stat = contents(process / "stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= stat.size() ? 'Z' : stat[name_end + 2];
}

}  // namespace

std::string own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

Child::Child(std::vector<std::string> words, const std::string& output, const std::string& mark) {
  std::vector<char*> argv, environment;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string marked = kMark + mark;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.push_back(*variable);
  environment.push_back(marked.data());
  environment.push_back(nullptr);

  const std::string error_output = output + ".err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, error_output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int error = posix_spawn(&pid_, words[0].c_str(), &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error("cannot start " + words[0] + ": " + std::strerror(error));
}

Child::~Child() {
  if (status_) return;
  kill();
  wait();
}

void Child::kill() {
  if (!status_) ::kill(pid_, SIGKILL);
}

ExitStatus Child::wait() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, 0) == pid_) keep(status);
  return status_.value_or(ExitStatus{});
}

std::optional<ExitStatus> Child::ended() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) keep(status);
  return status_;
}

void Child::keep(int status) {
  status_ = WIFSIGNALED(status) ? ExitStatus{true, WTERMSIG(status)} : ExitStatus{false, WEXITSTATUS(status)};
}

std::vector<pid_t> processes_marked(const std::string& mark) {
  const std::string wanted = kMark + mark + '\0';
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (contents(entry.path() / "environ").find(wanted) == std::string::npos) continue;
    if (state_of(entry.path()) != 'Z') found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace nestwright::bench
