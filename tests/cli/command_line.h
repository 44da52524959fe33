// Runs the built nestwright in a process of its own and holds what it wrote.
// Thread rule: one thread, as children are forked.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

struct Ran {
  int code = -1;   ///< exit code; -1 where a signal ended it
  int signal = 0;  ///< that ended it
  bool dumped_core = false;
  std::string out, err;
};

struct CommandOptions {
  std::vector<std::string> environment;  ///< NAME=value, added
  std::string folder;                    ///< to run in; empty: here
  std::string stdout_file, stderr_file;  ///< empty: caught
  bool closes_stderr = false;
  bool without_rights = false;         ///< as nobody, where this is root: rights do not bind root
  std::string small_disk_at;           ///< a file system is mounted there, for this process alone
  int small_disk_kib = 512;            ///< its size
  std::int64_t most_bytes_a_file = 0;  ///< as `ulimit -f` limits them; 0: not
};

/// What a child exits with that could not be set up as the options ask.
inline constexpr int kCannotSetUp = 99;

/// A nestwright that is running. Killed where it still runs at the end.
class Command {
 public:
  explicit Command(const std::vector<std::string>& arguments, const CommandOptions& options = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  void signal(int number) const;
  /// To its whole process group, as Ctrl-C on a terminal does it.
  void signal_group(int number) const;
  /// Waits until it wrote `text` to standard error; false where it ended or 60 seconds passed without that.
  bool wait_for_error_text(const std::string& text) const;
  /// Waits for its end. Kills it after 120 seconds.
  Ran wait();
  /// Processes that it started, itself included, that still run.
  int processes() const;
  /// Waits up to 5 seconds until there is none.
  bool all_gone() const;

 private:
  bool ended() const;

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  std::string mark_;  ///< in the environment of all processes that it starts
};

Ran run_nestwright(const std::vector<std::string>& arguments, const CommandOptions& options = {});
/// "a b c" into words.
std::vector<std::string> words(const std::string& text);
/// One list after another.
std::vector<std::string> operator+(std::vector<std::string> first, const std::vector<std::string>& second);

/// Fails the test unless it ended with `code`, an empty standard output, and one sentence on standard error that has
/// all of `parts`.
void expect_refusal(const Ran& ran, int code, const std::vector<std::string>& parts);
/// The same for one that had begun: the sentence is the last line.
void expect_failure(const Ran& ran, int code, const std::vector<std::string>& parts);

/// A workload and a target whose trials take milliseconds.
inline constexpr const char* kSmall = "matmul m=32 n=32 k=32";
inline const std::vector<std::string> kOneThread = {"--threads", "1"};

}  // namespace nestwright
