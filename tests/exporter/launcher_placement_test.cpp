// The threads of an exported library on processors of their own, as a program of its user sees them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>

#include "export_fixture.h"

namespace nestwright {
namespace {

// Arguments: how many processors the program may use, the pauses, their length in microseconds. Prints after how many
// pauses both threads of the library were on one processor.
constexpr const char* kApart = R"(
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "k.h"

static float A[511 * 257], B[257 * 513], C[511 * 513];

static int is_right(void) {
  memset(C, 0, sizeof C);
  if (k(A, B, C) != 0) return 0;
  for (int i = 0; i < 511 * 513; ++i)
    if (C[i] != 514) return 0;
  return 1;
}

/* The processor on which the thread runs, waits or ran last: field 39, of which the second may contain spaces. */
static int processor_of(int thread) {
  char line[1024] = "", path[64];
  sprintf(path, "/proc/self/task/%d/stat", thread);
  FILE* file = fopen(path, "r");
  if (file == 0 || fgets(line, sizeof line, file) == 0) exit(3);
  fclose(file);
  const char* at = strrchr(line, ')') + 1;
  for (int field = 3; field < 39; ++field) at = strchr(at + 1, ' ');
  return atoi(at);
}

static int other_thread(void) {
  DIR* tasks = opendir("/proc/self/task");
  int other = 0;
  for (struct dirent* entry; (entry = readdir(tasks)) != 0;)
    if (atoi(entry->d_name) != getpid()) other += atoi(entry->d_name);
  closedir(tasks);
  return other;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  for (int cpu = CPU_SETSIZE - 1; CPU_COUNT(&before) > atoi(arguments[1]); --cpu) CPU_CLR(cpu, &before);
  sched_setaffinity(0, sizeof before, &before);
  for (int i = 0; i < 511 * 257; ++i) A[i] = 1;
  for (int i = 0; i < 257 * 513; ++i) B[i] = 2;
  if (!is_right()) return 4;
  const int other = other_thread();
  int together = processor_of(other) == sched_getcpu();
  for (int pause = 0; pause < atoi(arguments[2]); ++pause) {
    usleep(atoi(arguments[3]));
    if (!is_right()) return 5;
    together += processor_of(other) == sched_getcpu();
  }
  printf("%d\n", together);
  usleep(20000);
  if (sched_getaffinity(other, sizeof after, &after) != 0 || !CPU_EQUAL(&before, &after)) return 6;
  return sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after) ? 0 : 7;
}
)";

class PlacementTest : public ExportTest {
 protected:
  void SetUp() override {
    export_with("matmul m=511 n=513 k=257", host_with(2), "k", "parallel=m");
    write_text(file("apart.c"), kApart);
    const CommandResult build = run("cc -O1 -Wall -Werror -Ik apart.c k/libk.a -lpthread -o apart");
    ASSERT_EQ(build.code, 0) << build.output;
  }

  /// Returns how often both threads were on one processor.
  int together(int processors, int pauses, int microseconds) const {
    const CommandResult result = run(fmt::format("timeout 60 ./apart {} {} {}", processors, pauses, microseconds));
    EXPECT_EQ(result.code, 0) << result.output;
    return std::atoi(result.output.c_str());
  }
};

bool has_two_processors() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) >= 2;
}

// A thread may be moved for a moment by the system, which balances the load of a busy machine.
TEST_F(PlacementTest, TwoThreadsAreOnTwoProcessorsAfterPauses) {
  if (!has_two_processors()) GTEST_SKIP() << "there is one processor";
  EXPECT_LE(together(2, 60, 1000), 12) << "of 61";
  EXPECT_LE(together(2, 30, 10000), 6) << "of 31";
}

TEST_F(PlacementTest, TwoThreadsAreOnTwoProcessorsInAFreshProcess) {
  if (!has_two_processors()) GTEST_SKIP() << "there is one processor";
  int count = 0;
  for (int process = 0; process < 20; ++process) count += together(2, 0, 0);
  EXPECT_LE(count, 4) << "of 20";
}

TEST_F(PlacementTest, OneProcessorServesTwoThreads) { EXPECT_EQ(together(1, 10, 1000), 11); }

}  // namespace
}  // namespace nestwright
