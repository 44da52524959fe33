// Runs the nestwright executable in a child process and captures its output.
// Thread rule: one thread, since the child is forked.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

struct CommandOutput {
  int code = -1;   ///< exit code; -1 if a signal ended the process
  int signal = 0;  ///< the signal that ended the process; 0: none
  bool dumped_core = false;
  std::string out, err;
};

struct CommandOptions {
  std::vector<std::string> environment;  ///< NAME=value, added to that of the test
  std::string folder;                    ///< the working directory; empty: that of the test
  std::string stdout_file, stderr_file;  ///< where output goes; empty: captured
  bool has_closed_stderr = false;
  bool is_unprivileged = false;     ///< runs as nobody if the test runs as root, whom file permissions do not bind
  std::string small_disk_at;        ///< mounts a small file system there that only this process sees
  int small_disk_kib = 512;         ///< size of that file system
  std::int64_t max_file_bytes = 0;  ///< limit of `ulimit -f`; 0: none
};

/// Exit code of a child that could not be set up as the options say.
inline constexpr int kCannotSetUp = 99;

/// A nestwright process. The destructor kills it if it still runs.
class Command {
 public:
  explicit Command(const std::vector<std::string>& arguments, const CommandOptions& options = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  void signal(int number) const;
  /// Sends the signal to the whole process group, as Ctrl-C on a terminal does.
  void signal_group(int number) const;
  /// Waits until the process has written `text` to standard error. Returns false if it ends first or after 60 seconds.
  bool wait_for_error_text(const std::string& text) const;
  /// Waits for the process to end. Kills it after 120 seconds.
  CommandOutput wait();
  /// Counts the processes that still run, of this one and all that it started.
  int count_processes() const;
  /// Waits until count_processes() is 0. Returns false after 5 seconds.
  bool wait_until_all_exit() const;

 private:
  bool has_ended() const;

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  std::string mark_;  ///< environment variable that identifies the processes that it starts
};

CommandOutput run_nestwright(const std::vector<std::string>& arguments, const CommandOptions& options = {});
/// Splits "a b c" into words.
std::vector<std::string> words(const std::string& text);
/// Concatenates two lists.
std::vector<std::string> operator+(std::vector<std::string> first, const std::vector<std::string>& second);

/// Expects exit code `code`, an empty standard output, and one sentence on standard error that contains all of `parts`.
void expect_refusal(const CommandOutput& ran, int code, const std::vector<std::string>& parts);
/// The same for a run that had begun: only the last line has to be such a sentence.
void expect_failure(const CommandOutput& ran, int code, const std::vector<std::string>& parts);

/// A workload and a target whose trials take milliseconds.
inline constexpr const char* kSmallWorkload = "matmul m=32 n=32 k=32";
inline const std::vector<std::string> kOneThread = {"--threads", "1"};

}  // namespace nestwright
