// Libraries of whole networks: built and run as a user would, with damaged weights, side by side.
#include <gmock/gmock.h>

#include <csignal>

#include "export_fixture.h"
#include "nestwright/model/network.h"

namespace nestwright {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class NetworkExportTest : public ExportTest {
 protected:
  NetworkExportTest() {
    const ValueId x = graph_.add_input("network", {kFloat32, {3, 16}});  // a name that the sources use, too
    ValueId y = x;
    for (int layer = 0; layer < 3; ++layer) {
      std::vector<float> w(256);
      for (std::size_t i = 0; i < w.size(); ++i)
        w[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(layer)) % 64) / 64 - .5F;
      y = graph_.apply("Gemm", "Y[i,j]=max(sum(k,X[i,k]*W[k,j]),0)",
                       {{"X", y}, {"W", graph_.add_constant({kFloat32, {16, 16}}, w)}},
                       "layer" + std::to_string(layer));
    }
    graph_.add_output("out:0", y);
    graph_.add_output("0mask", graph_.apply("Greater", "Y[i,j]=X[i,j]>0.5", {{"X", y}}));
  }

  NetworkExport export_as(const std::string& name, int threads, bool embed = false) {
    return export_network(with_kernels(graph_), host_with(threads), nullptr,
                          {.directory = file(name), .name = name, .embed = embed});
  }

  Graph graph_;
};

TEST_F(NetworkExportTest, TheSelfTestPassesAndPrintsTheTimeOfEachKernel) {
  for (const int threads : {1, 2}) {
    const std::string name = "net" + std::to_string(threads);
    const NetworkExport result = export_as(name, threads);
    EXPECT_TRUE(result.error_of_tolerance.has_value());
    const CommandResult build = build_self_test(name, "lib" + name + ".a");
    ASSERT_EQ(build.code, 0) << build.output;
    const CommandResult test = run("cd " + name + " && timeout 60 ./selftest 5");
    EXPECT_EQ(test.code, 0) << test.output;
    EXPECT_THAT(test.output, HasSubstr("96 elements checked, all right"));
    EXPECT_THAT(test.output, HasSubstr("us  layer1\n"));
    EXPECT_THAT(test.output, ContainsRegex("us  in all\n +[0-9.]+ us  whole run\n +-?[0-9.]+ us  between kernels, "));
  }
}

TEST_F(NetworkExportTest, SourcesCompileWithStrictWarnings) {
  export_as("n", 2);
  const CommandResult built = run("cd n && cc -std=c11 -O2 -Wall -Wextra -Wshadow -Wpedantic -Werror -c n.c");
  EXPECT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run("cd n && echo '#include \"n.h\"' > a.cpp && c++ -Wall -Wextra -Werror -c a.cpp").code, 0);
  EXPECT_THAT(run("nm -D --defined-only --format=just-symbols n/libn.so | sort").output,
              "n_create\nn_create_from_memory\nn_destroy\nn_message\nn_run\nn_set_times\nn_step_name\nn_steps\n");
}

TEST_F(NetworkExportTest, ANetworkMayHaveNoKernels) {
  graph_ = Graph();
  graph_.add_output("y", graph_.add_input("x", {kFloat32, {96}}));
  export_as("c", 2);
  const CommandResult built = run("cd c && cc -std=c11 -O2 -Wall -Wextra -Wshadow -Wpedantic -Werror -c c.c");
  EXPECT_EQ(built.code, 0) << built.output;
  ASSERT_EQ(build_self_test("c", "libc.a").code, 0);
  const CommandResult test = run("cd c && timeout 60 ./selftest 3");
  EXPECT_EQ(test.code, 0) << test.output;
  EXPECT_THAT(test.output, HasSubstr("96 elements checked, all right"));
}

TEST_F(NetworkExportTest, WeightsMayBeAPartOfTheLibrary) {
  export_as("e", 1, true);
  ASSERT_EQ(build_self_test("e", "libe.a").code, 0);
  EXPECT_EQ(run("cd e && rm e_weights.bin && ./selftest").code, 0);
}

TEST_F(NetworkExportTest, OtherWeightsAreRefused) {
  export_as("n", 1);
  ASSERT_EQ(build_self_test("n", "libn.a").code, 0);
  const auto expect_refused = [&](const std::string& change, const std::string& sentence) {
    const CommandResult test =
        run("cd n && cp n_weights.bin kept && " + change + "; ./selftest; code=$?; mv kept n_weights.bin; exit $code");
    EXPECT_EQ(test.code, 1) << change;
    EXPECT_THAT(test.output, HasSubstr(sentence)) << change;
  };
  expect_refused("rm n_weights.bin", "the file of weights cannot be read");
  expect_refused("rm n_weights.bin; mkdir n_weights.bin; ./selftest; rmdir n_weights.bin",
                 "the file of weights cannot be read");
  expect_refused("truncate -s -64 n_weights.bin", "damaged");
  expect_refused("truncate -s 10 n_weights.bin", "damaged");
  expect_refused("printf 'x' | dd of=n_weights.bin bs=1 seek=200 conv=notrunc 2>/dev/null", "damaged");
  // Those of an export with another order of the same shapes.
  graph_.add_output("more", graph_.outputs()[0].value);
  graph_.add_output("more2", graph_.add_constant({kFloat32, {16}}, std::vector<float>(16)));
  export_as("m", 1);
  expect_refused("cp ../m/m_weights.bin n_weights.bin", "another export");
}

// Two networks of one library on two threads each, called from two threads at once.
constexpr const char* kSideBySide = R"(
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "n.h"

static float in[48], expected[48];

static void* call(void* unused) {
  (void)unused;
  n_network* network = 0;
  if (n_create("n_weights.bin", &network) != 0) return "create";
  for (int turn = 0; turn < 300; ++turn) {
    float out[48];
    unsigned char mask[48];
    if (n_run(network, in, out, mask) != 0) return "run";
    if (memcmp(out, expected, sizeof out) != 0) return "differs";
  }
  n_destroy(network);
  return 0;
}

int main(void) {
  unsigned char mask[48];
  for (int i = 0; i < 48; ++i) in[i] = (float)(i % 7) / 8;
  n_network* network = 0;
  if (n_create("n_weights.bin", &network) != 0 || n_run(network, in, expected, mask) != 0) return 1;
  n_destroy(network);
  n_destroy(0);
  pthread_t threads[2];
  for (int t = 0; t < 2; ++t) pthread_create(&threads[t], 0, call, 0);
  for (int t = 0; t < 2; ++t) {
    void* failure;
    pthread_join(threads[t], &failure);
    if (failure != 0) return printf("%s\n", (const char*)failure), 1;
  }
  return 0;
}
)";

TEST_F(NetworkExportTest, NetworksRunSideBySide) {
  export_as("n", 2);
  write_text(file("n/two.c"), kSideBySide);
  const CommandResult built = run("cd n && cc -std=gnu11 -O1 -Wall -Werror two.c libn.a -lpthread -lm -o two");
  ASSERT_EQ(built.code, 0) << built.output;
  const CommandResult ran = run("cd n && timeout 60 ./two");
  EXPECT_EQ(ran.code, 0) << ran.output;
}

// A child of a fork runs the network that it inherited, again and again, while its parent does.
constexpr const char* kForked = R"(
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "n.h"

static float in[48], expected[48], out[48];
static unsigned char mask[48];

static int runs_are_right(n_network* network) {
  for (int turn = 0; turn < 100; ++turn) {
    memset(out, 0xff, sizeof out);
    if (n_run(network, in, out, mask) != 0 || memcmp(out, expected, sizeof out) != 0) return 0;
  }
  return 1;
}

int main(void) {
  for (int i = 0; i < 48; ++i) in[i] = (float)(i % 7) / 8;
  n_network* network = 0;
  if (n_create("n_weights.bin", &network) != 0 || n_run(network, in, expected, mask) != 0) return 1;
  const pid_t child = fork();
  const int are_right = runs_are_right(network);
  n_destroy(network);
  if (child == 0) _exit(are_right ? 0 : 2);
  int status = 0;
  waitpid(child, &status, 0);
  return !are_right ? 3 : WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
)";

TEST_F(NetworkExportTest, ANetworkRunsInTheChildOfAFork) {
  export_as("n", 2);
  write_text(file("n/forked.c"), kForked);
  const CommandResult built = run("cd n && cc -std=gnu11 -O1 -Wall -Werror forked.c libn.a -lpthread -lm -o forked");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run("cd n && timeout 60 ./forked").code, 0);
}

// Runs a network where any system call but read, write and exit ends the process, and counts allocations. With an
// argument, it makes a system call of its own, or an allocation.
constexpr const char* kConfined = R"(
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "n.h"

void* __real_malloc(size_t bytes);
static int allocations;
void* __wrap_malloc(size_t bytes) { return ++allocations, __real_malloc(bytes); }

int main(int count, char** words) {
  static float in[48], out[48];
  static unsigned char mask[48];
  n_network* network = 0;
  if (n_create("n_weights.bin", &network) != 0) return 2;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return 3;
  int code = 0;
  allocations = 0;
  for (int turn = 0; turn < 100; ++turn) code |= n_run(network, in, out, mask);
  if (count > 1 && strcmp(words[1], "calls") == 0) code |= syscall(SYS_getpid) == 0;
  if (count > 1 && strcmp(words[1], "allocates") == 0) {
    void* volatile kept = malloc(16);
    code |= kept == 0;
  }
  syscall(SYS_exit, code != 0 ? 4 : allocations != 0 ? 5 : 0);
}
)";

TEST_F(NetworkExportTest, ARunOnOneThreadMakesNoSystemCallAndAllocatesNothing) {
  export_as("n", 1);
  EXPECT_THAT(read_text(file("n/n.c")), ::testing::Not(HasSubstr("pthread"))) << "no locks";
  write_text(file("n/confined.c"), kConfined);
  const CommandResult built =
      run("cd n && cc -std=gnu11 -O1 -Wall -Werror -Wl,--wrap=malloc confined.c libn.a -lm -o confined");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run("cd n && ./confined").code, 0);
  EXPECT_EQ(run("cd n && ./confined calls").code, 128 + SIGKILL);
  EXPECT_EQ(run("cd n && ./confined allocates").code, 5);
}

TEST_F(NetworkExportTest, NumbersThatAreNoneAndNamesOfTheSourcesPass) {
  graph_.add_output("kArenaBytes", graph_.apply("Log", "Y[i,j]=log(X[i,j])", {{"X", graph_.inputs()[0].value}}));
  graph_.add_output("places", graph_.apply("Log", "Y[i,j]=log(X[i,j]*0.0)", {{"X", graph_.inputs()[0].value}}));
  graph_.add_output("n_run", graph_.outputs()[0].value);
  export_as("n", 1);
  const CommandResult build = build_self_test("n", "libn.a");
  ASSERT_EQ(build.code, 0) << build.output;
  const CommandResult test = run("cd n && ./selftest");
  EXPECT_EQ(test.code, 0) << test.output;
}

TEST_F(NetworkExportTest, IllegalNamesAreRefused) {
  const auto named = [&](const std::string& name) { return [this, name] { export_as(name, 1); }; };
  for (const char* name : {"2net", "a-b", "int", "printf", ""}) EXPECT_THROW(named(name)(), UsageError) << name;
  Graph empty;
  EXPECT_THAT([&] { export_network(empty, host_with(1), nullptr, {.directory = file("x"), .name = "x"}); },
              ::testing::ThrowsMessage<UsageError>(HasSubstr("no outputs")));
}

}  // namespace
}  // namespace nestwright
