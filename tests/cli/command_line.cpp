#include "tests/cli/command_line.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace nestwright {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kProgram = NESTWRIGHT_BINARY_DIR "/nestwright";
constexpr uid_t kNobody = 65534;

std::string contents(int fd) {
  std::string text;
  char block[4096];
  for (off_t at = 0;;) {
    const ssize_t n = pread(fd, block, sizeof block, at);
    if (n <= 0) return text;
    text.append(block, static_cast<std::size_t>(n));
    at += n;
  }
}

bool mount_small_disk(const std::string& folder, int kib) {
  const std::string size = "size=" + std::to_string(kib) + "k";
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tiny", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

bool drop_privileges() {
  return geteuid() != 0 || (setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0);
}

[[noreturn]] void exec_nestwright(const std::vector<std::string>& arguments, const CommandOptions& options, int out,
                                  int err, const std::string& mark) {
  setpgid(0, 0);
  const int in = open("/dev/null", O_RDONLY);
  if (!options.stdout_file.empty()) out = open(options.stdout_file.c_str(), O_WRONLY);
  if (!options.stderr_file.empty()) err = open(options.stderr_file.c_str(), O_WRONLY);
  dup2(in, 0);
  dup2(out, 1);
  dup2(err, 2);
  if (options.has_closed_stderr) close(2);
  unsetenv("NESTWRIGHT_DB");
  putenv(const_cast<char*>(mark.c_str()));
  for (const std::string& variable : options.environment) putenv(const_cast<char*>(variable.c_str()));
  if (!options.small_disk_at.empty() && !mount_small_disk(options.small_disk_at, options.small_disk_kib)) {
    _exit(kCannotSetUp);
  }
  if (options.max_file_bytes > 0) {
    const rlimit limit{static_cast<rlim_t>(options.max_file_bytes), static_cast<rlim_t>(options.max_file_bytes)};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(kCannotSetUp);
  }
  if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(kCannotSetUp);
  if (options.is_unprivileged && !drop_privileges()) _exit(kCannotSetUp);
  std::vector<char*> argv = {const_cast<char*>("nestwright")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(kProgram, argv.data());
  _exit(kCannotSetUp);
}

void expect_sentence(const std::string& line, const std::vector<std::string>& parts) {
  EXPECT_THAT(line, StartsWith("nestwright: "));
  EXPECT_THAT(line, Not(HasSubstr("terminate"))) << "no exception may pass main";
  for (const std::string& part : parts) EXPECT_THAT(line, HasSubstr(part));
}

void expect_end(const CommandOutput& ran, int code) {
  EXPECT_EQ(ran.code, code) << ran.err;
  EXPECT_EQ(ran.signal, 0);
  EXPECT_FALSE(ran.dumped_core);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, EndsWith("\n"));
}

}  // namespace

Command::Command(const std::vector<std::string>& arguments, const CommandOptions& options)
    : out_(memfd_create("out", 0)), err_(memfd_create("err", 0)) {
  static int number = 0;
  mark_ = "NESTWRIGHT_TEST=" + std::to_string(getpid()) + "." + std::to_string(++number);
  pid_ = fork();
  if (pid_ == 0) exec_nestwright(arguments, options, out_, err_, mark_);
  setpgid(pid_, pid_);
}

Command::~Command() {
  if (pid_ > 0) {
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

void Command::signal(int number) const { ::kill(pid_, number); }
void Command::signal_group(int number) const { ::killpg(pid_, number); }

bool Command::has_ended() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

bool Command::wait_for_error_text(const std::string& text) const {
  for (int i = 0; i < 6000; ++i) {
    if (contents(err_).find(text) != std::string::npos) return true;
    if (has_ended()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

CommandOutput Command::wait() {
  for (int i = 0; i < 12000 && !has_ended(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!has_ended()) signal(SIGKILL);
  CommandOutput ran;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) {
    ran.signal = WTERMSIG(status);
    ran.dumped_core = WCOREDUMP(status);
  }
  ran.out = contents(out_);
  ran.err = contents(err_);
  return ran;
}

int Command::count_processes() const {
  int count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string environment((std::istreambuf_iterator<char>(file)), {});
    if (('\0' + environment).find('\0' + mark_ + '\0') != std::string::npos) ++count;
  }
  return count;
}

bool Command::wait_until_all_exit() const {
  for (int i = 0; i < 500; ++i) {
    if (count_processes() == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

CommandOutput run_nestwright(const std::vector<std::string>& arguments, const CommandOptions& options) {
  return Command(arguments, options).wait();
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> operator+(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void expect_refusal(const CommandOutput& ran, int code, const std::vector<std::string>& parts) {
  expect_end(ran, code);
  expect_sentence(ran.err, parts);
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << "one sentence, not:\n" << ran.err;
}

void expect_failure(const CommandOutput& ran, int code, const std::vector<std::string>& parts) {
  expect_end(ran, code);
  const std::size_t end = ran.err.find_last_not_of('\n');
  const std::size_t before = ran.err.rfind('\n', end);
  expect_sentence(ran.err.substr(before == std::string::npos ? 0 : before + 1), parts);
}

}  // namespace nestwright
