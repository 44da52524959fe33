// Programs that use exported libraries: several libraries at once, from C and C++, many threads, after a fork, with
// CMake.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "export_fixture.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

TEST_F(ExportTest, SharedLibraryShowsItsFunctionsOnlyAndNeedsNothingOfOurs) {
  export_with("matmul m=64 n=64 k=64", host_with(2), "k", "parallel=m");
  EXPECT_EQ(run("nm -D --defined-only --format=just-symbols k/libk.so | sort").output,
            "k\nk_release\nk_set_parallel_for\n");
  const std::string needed = run("readelf -d k/libk.so | grep -E 'NEEDED|SONAME|TEXTREL'").output;
  EXPECT_THAT(needed, HasSubstr("soname: [libk.so]"));
  EXPECT_THAT(needed, ::testing::Not(HasSubstr("TEXTREL")));
  std::istringstream lines(needed);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("NEEDED") == std::string::npos) continue;
    EXPECT_TRUE(line.find("libc.") != std::string::npos || line.find("libm.") != std::string::npos ||
                line.find("libpthread.") != std::string::npos)
        << line;
  }
  EXPECT_THAT(run("readelf -lW k/libk.so | grep GNU_STACK").output, HasSubstr("RW "));

  export_default("matmul m=4 n=4 k=4", host_with(1), "s");
  EXPECT_EQ(run("nm -D --defined-only --format=just-symbols s/libs.so | sort").output, "s\ns_release\n");
}

TEST_F(ExportTest, CarriesThePoolThatKernelsAreTimedWith) {
  export_with("matmul m=64 n=64 k=64", host_with(2), "k", "parallel=m");
  const std::string pool = read_text(NESTWRIGHT_SOURCE_DIR "/src/runtime/thread_pool.c");
  ASSERT_THAT(pool, HasSubstr("static void pool_run("));
  EXPECT_THAT(read_text(file("k/k.c")), HasSubstr(pool));
  EXPECT_EQ(run("cd k && cc -std=c11 -O2 -Wall -Wextra -Wshadow -Wpedantic -Werror -c k.c").code, 0);
  // Besides the kernel's own symbols, only static ones.
  EXPECT_EQ(run("nm --defined-only --extern-only --format=just-symbols k/k.o | sort").output,
            "k\nk_release\nk_set_parallel_for\n");
  export_default("matmul m=64 n=64 k=64", host_with(1), "s");
  EXPECT_THAT(read_text(file("s/s.c")), ::testing::Not(HasSubstr("pthread")));
}

// Two libraries in one C++ program, called from four threads at once: each result is exact on small integers.
constexpr const char* kTwo = R"(
#include <cstdio>
#include <thread>
#include <vector>
#include "one.h"
#include "two.h"

template <class T, class F>
static bool right(F f, int m, int n, int k, int seed) {
  std::vector<T> A(m * k), B(k * n), C(m * n);
  for (int i = 0; i < m * k; ++i) A[i] = (i * 7 + seed) % 5 - 2;
  for (int i = 0; i < k * n; ++i) B[i] = (i * 3 + seed) % 7 - 3;
  for (int turn = 0; turn < 50; ++turn) {
    C.assign(m * n, T(99));
    if (f(A.data(), B.data(), C.data()) != 0) return false;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        T sum = 0;
        for (int r = 0; r < k; ++r) sum += A[i * k + r] * B[r * n + j];
        if (sum != C[i * n + j]) return false;
      }
  }
  return true;
}

int main() {
  bool ok[4] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      ok[t] = t % 2 == 0 ? right<float>(one, 67, 45, 31, t) : right<double>(two, 52, 49, 23, t);
      if (t == 0) one_release();
    });
  for (auto& thread : threads) thread.join();
  one_release();
  one_release();
  std::printf("%d%d%d%d\n", ok[0], ok[1], ok[2], ok[3]);
  return ok[0] && ok[1] && ok[2] && ok[3] ? 0 : 1;
}
)";

TEST_F(ExportTest, TwoLibrariesInOneProgramFromManyThreads) {
  export_with("matmul m=67 n=45 k=31", host_with(2), "one", "pack_b=whole parallel=m");
  export_with("matmul m=52 n=49 k=23 dtype=float64", host_with(3), "two", "pack_b=block parallel=n");
  write_text(file("two.cpp"), kTwo);
  for (const char* libraries : {"one/libone.a two/libtwo.a", "one/libone.so two/libtwo.so -Wl,-rpath,one:two"}) {
    const CommandResult build =
        run(fmt::format("c++ -O1 -Wall -Werror -Ione -Itwo two.cpp {} -lpthread -o two_program", libraries));
    ASSERT_EQ(build.code, 0) << build.output;
    const CommandResult result = run("timeout 60 ./two_program");
    EXPECT_EQ(result.code, 0) << libraries << ": " << result.output;
  }
}

// Kernels are not instrumented, so the sanitizer sees only the launcher's own accesses.
TEST_F(ExportTest, ThreadSanitizerSeesNoRaceInTheLauncher) {
  export_with("matmul m=67 n=45 k=31", host_with(2), "one", "pack_b=whole parallel=m");
  export_with("matmul m=52 n=49 k=23 dtype=float64", host_with(3), "two", "pack_b=block parallel=n");
  write_text(file("two.cpp"), kTwo);
  write_text(file("empty.cpp"), "int main() {}\n");
  if (run("c++ -fsanitize=thread empty.cpp -o empty && ./empty").code != 0) GTEST_SKIP() << "no ThreadSanitizer here";
  const CommandResult build = run(
      "for n in one two; do cc -std=c11 -O1 -g -fsanitize=thread -c $n/$n.c -o $n.o || exit 1; done; "
      "c++ -O1 -g -fsanitize=thread -Ione -Itwo two.cpp one.o two.o one/one_kernel.o two/two_kernel.o -o two_program");
  ASSERT_EQ(build.code, 0) << build.output;
  const CommandResult result = run("timeout 120 ./two_program");
  EXPECT_EQ(result.code, 0) << result.output;
}

constexpr const char* kForks = R"(
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "k.h"

static float A[70 * 70], B[70 * 70], C[70 * 70];
static int tasks_seen, handed_over;

static void my_loop(void* threads, int tasks, k_body body, void* closure) {
  handed_over += *(int*)threads;
  for (int task = 0; task < tasks; ++task) body(task, task % 2, closure), ++tasks_seen;
}

static int right(int (*f)(const float*, const float*, float*)) {
  for (int i = 0; i < 4900; ++i) C[i] = -1;
  if (f(A, B, C) != 0) return 0;
  for (int i = 0; i < 4900; ++i)
    if (C[i] != 140) return 0;
  return 1;
}

int main(void) {
  for (int i = 0; i < 4900; ++i) A[i] = 1, B[i] = 2;
  if (!right(k)) return 1;
  int status;
  const pid_t child = fork();
  if (child == 0) {
    if (!right(k) || !right(k)) _exit(1);
    const pid_t grandchild = fork();
    if (grandchild == 0) _exit(right(k) && right(k) ? 0 : 1);
    waitpid(grandchild, &status, 0);
    _exit(WIFEXITED(status) && WEXITSTATUS(status) == 0 && right(k) ? 0 : 1);
  }
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 2;
  usleep(2000); /* the workers are asleep by now */
  if (!right(k)) return 3;
  int number = 7;
  k_set_parallel_for(&number, my_loop);
  if (!right(k) || tasks_seen < 2 || handed_over != 7) return 4;
  k_set_parallel_for(0, 0);
  if (!right(k) || handed_over != 7) return 5;
  void* library = dlopen("k/libk.so", RTLD_NOW | RTLD_LOCAL);
  if (library == 0) return 6;
  int (*loaded)(const float*, const float*, float*);
  *(void**)&loaded = dlsym(library, "k");
  if (!right(loaded) || dlclose(library) != 0) return 7;
  usleep(2000);
  return right(k) ? 0 : 8;
}
)";

TEST_F(ExportTest, ForksThreadsOfTheUsersAndUnloading) {
  export_with("matmul m=70 n=70 k=70", host_with(2), "k", "parallel=m");
  write_text(file("forks.c"), kForks);
  const CommandResult build = run("cc -O1 -D_GNU_SOURCE -Wall -Werror -Ik forks.c k/libk.a -lpthread -ldl -o forks");
  ASSERT_EQ(build.code, 0) << build.output;
  const CommandResult result = run("timeout 20 ./forks");
  EXPECT_EQ(result.code, 0) << result.output;
}

// LeakSanitizer ignores memory that a living thread references: threads that ended without a release must leave none.
TEST_F(ExportTest, AThreadThatEndsFreesItsWorkspace) {
  export_guess("matmul m=70 n=70 k=70", host_with(1), "k", "pack_b=whole");
  write_text(file("ends.c"), R"(#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include "k.h"
static float A[4900], B[4900], C[4900];
static void* call(void* code) { *(int*)code = k(A, B, C); return 0; }
int main(void) {
  size_t after_first = 0;
  for (int turn = 0; turn < 200; ++turn) {
    pthread_t thread;
    int code = -1;
    if (pthread_create(&thread, 0, call, &code) != 0 || pthread_join(thread, 0) != 0 || code != 0) return 1;
    if (turn == 0) after_first = mallinfo2().uordblks;
  }
  return mallinfo2().uordblks > after_first + 50 * 4900 ? 2 : 0;
})");
  const CommandResult build = run("cc -Wall -Werror -Ik ends.c k/libk.a -lpthread -o ends");
  ASSERT_EQ(build.code, 0) << build.output;
  EXPECT_EQ(run("MALLOC_ARENA_MAX=1 timeout 20 ./ends").code, 0);
}

TEST_F(ExportTest, PointersThatAreNullOrNotAligned) {
  export_default("matmul m=8 n=8 k=8", host_with(1), "k");
  write_text(file("bad.c"), R"(#include "k.h"
static char memory[1024];
int main(void) {
  float* good = (float*)memory;
  const float* odd = (const float*)(memory + 1);
  return k(0, good, good) == 3 && k(good, 0, good) == 3 && k(good, good, 0) == 3 && k(odd, good, good) == 3 ? 0 : 1;
})");
  ASSERT_EQ(run("cc -Ik bad.c k/libk.a -lpthread -o bad").code, 0);
  EXPECT_EQ(run("./bad").code, 0);
}

TEST_F(ExportTest, CMakePackageIsFoundByPrefixAndByVariable) {
  export_with("matmul m=40 n=40 k=40", host_with(2), "my_kernel", "parallel=m");
  std::filesystem::create_directory(file("user"));
  write_text(file("user/CMakeLists.txt"), R"(cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(my_kernel CONFIG REQUIRED)
find_package(my_kernel CONFIG REQUIRED)
foreach(kind "" _static)
  add_executable(user${kind} ../my_kernel/my_kernel_selftest.c)
  target_link_libraries(user${kind} my_kernel::my_kernel${kind} m)
endforeach()
)");
  for (const char* how : {"CMAKE_PREFIX_PATH", "my_kernel_DIR"}) {
    const std::string build = std::string("build-") + how;
    const CommandResult configured =
        run(fmt::format("{0} -S user -B {1} -D{2}=$PWD/my_kernel && {0} --build {1}", NESTWRIGHT_CMAKE, build, how));
    ASSERT_EQ(configured.code, 0) << configured.output;
    for (const char* program : {"user", "user_static"}) {
      const CommandResult result = run(fmt::format("timeout 20 {}/{}", build, program));
      EXPECT_EQ(result.code, 0) << how << " " << program << ": " << result.output;
    }
  }
}

}  // namespace
}  // namespace nestwright
