// Progress on a terminal is one line that is rewritten and never wraps; and the text of that line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output/progress.h"
#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

constexpr unsigned short kColumns = 60;

struct TerminalOutput {
  int code = -1;
  std::string text;
};

TerminalOutput run_on_terminal(const std::vector<std::string>& arguments) {
  const winsize size{24, kColumns, 0, 0};
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) {
    std::vector<char*> argv = {const_cast<char*>("nestwright")};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(NESTWRIGHT_BINARY_DIR "/nestwright", argv.data());
    _exit(kCannotSetUp);
  }
  TerminalOutput shown;
  char block[4096];
  for (ssize_t n = 0; (n = read(terminal, block, sizeof block)) > 0;)
    shown.text.append(block, static_cast<std::size_t>(n));
  int status = 0;
  waitpid(pid, &status, 0);
  close(terminal);
  if (WIFEXITED(status)) shown.code = WEXITSTATUS(status);
  return shown;
}

TEST(ProgressLineTest, RewritesOneLine) {
  const TemporaryFolder folder;
  const TerminalOutput shown = run_on_terminal(
      words("tune matmul m=32 n=32 k=32 --threads 1 --batch 4 --trials 16 --db " + folder.file("some.db")));
  ASSERT_EQ(shown.code, 0) << shown.text;
  const std::string rewritten = "\r\033[K";
  int updates = 0;
  for (std::size_t at = shown.text.find(rewritten); at != std::string::npos;) {
    ++updates;
    at += rewritten.size();
    const std::size_t end = shown.text.find_first_of("\r\n", at);
    const std::string line = shown.text.substr(at, end - at);
    EXPECT_LT(line.size(), kColumns) << line;
    EXPECT_THAT(line, HasSubstr(" of 16 trials, "));
    at = shown.text.find(rewritten, at);
  }
  EXPECT_GE(updates, 1);
  EXPECT_THAT(shown.text, HasSubstr("16 trials in "));
  EXPECT_THAT(shown.text, HasSubstr("config    "));
}

TEST(ProgressTextTest, ContainsAllParts) {
  constexpr cli::Work kWork{.flops = 2.6818e8, .bytes = 1e6};
  Progress p{.trials = 12,
             .outcomes = {{Outcome::kOk, 11}, {Outcome::kWrongResult, 1}},
             .best_ns = 2.65e6,
             .seconds = 6,
             .seconds_left = 24};
  EXPECT_EQ(cli::progress_text(p, {.seconds = 30}, kWork),
            "12 trials, 2.0/s, best 101.2 GFLOP/s (2.65 ms), 24 s left, ok 11, wrong_result 1");
  EXPECT_THAT(cli::progress_text(p, {.trials = 20}, kWork), HasSubstr("12 of 20 trials, 2.0/s"));
  EXPECT_THAT(cli::progress_text(p, {.trials = 20}, kWork), HasSubstr(", 4 s left, "));
  EXPECT_THAT(cli::progress_text(p, {.trials = 20, .seconds = 30}, kWork), HasSubstr(", 4 s left, "))
      << "the budget that ends first";
  p.best_ns = 0;
  EXPECT_THAT(cli::progress_text(p, {}, kWork), HasSubstr("none valid yet, ok 11"));
}

TEST(ProgressTextTest, OfAListBeginsWithTheWholeAndFitsALine) {
  SharedProgress p{.trials = 420, .seconds = 84, .seconds_left = 120, .best_ns = 4.77e5};
  p.whole_ns = 38.21e6;
  p.tuned_share = 0.636;
  EXPECT_EQ(cli::list_progress_text(p, {.seconds = 204}, "conv3"),
            "whole about 38.21 ms, 63% tuned; 420 trials, 5.0/s, 120 s left; 477 us conv3");
  p.is_timed = true;
  EXPECT_EQ(cli::list_progress_text(p, {.trials = 1000}, "conv3\n"),
            "whole 38.21 ms, 63% tuned; 420 of 1000 trials, 5.0/s, 116 s left; 477 us conv3 ");
  p.best_ns = 0;
  EXPECT_EQ(cli::list_progress_text(p, {}, "conv3"), "whole 38.21 ms, 63% tuned; 420 trials, 5.0/s; conv3");
  EXPECT_EQ(cli::list_progress_text(p, {}, std::string(200, 'x')).size(), 79u);
  p.races_left = 7;
  EXPECT_EQ(cli::list_progress_text(p, {.seconds = 204}, "conv3"),
            "whole 38.21 ms, 63% tuned; 420 trials, 5.0/s, 120 s left; 7 races left");
}

}  // namespace
}  // namespace nestwright
