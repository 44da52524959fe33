// Calls of a kernel with caches in a given state: what is timed, and that results are still compared.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codegen/backend.h"
#include "measure/run/buffer_copies.h"
#include "tests/measure/planted.h"

namespace nestwright {
namespace {

std::unique_ptr<Runner> runner_with(CacheState caches, std::vector<std::size_t> constants = {}) {
  CheckData data = addition();
  data.constants = std::move(constants);
  RunnerOptions options = planted_options();
  options.caches = caches;
  use_worker(WORKER);
  return make_local_runner(data, options);
}

/// Returns the time of a call (ns) that adds 1000 elements.
double time_with(CacheState caches, std::vector<std::size_t> constants = {}) {
  const CompiledObject right = planted("in_vectors");
  const Measurement measured = runner_with(caches, std::move(constants))->race({{&right}})[0];
  EXPECT_EQ(measured.outcome, Outcome::kOk) << measured.message;
  return measured.timing.median_ns;
}

TEST(CacheStates, OnlyWhatIsInACacheIsReadQuickly) {
  constexpr int kComparisons = 8;  // about two seconds each; a busy processor slows what is in its caches
  std::string times;
  for (int look = 0; look < kComparisons; ++look) {
    const double warm = time_with(CacheState::kWarm), cold = time_with(CacheState::kCold);
    const double written = time_with(CacheState::kStream), constant = time_with(CacheState::kStream, {1});
    times += fmt::format("warm {}, cold {}, just written {}, with a constant {}\n", warm, cold, written, constant);
    if (cold > 1.5 * warm && written < 1.5 * warm && constant > 1.2 * written) return;
  }
  ADD_FAILURE() << times;
}

TEST(CacheStates, AResultThatChangesWhileItIsTimedIsWrong) {
  for (const CacheState caches : {CacheState::kCold, CacheState::kStream}) {
    const auto runner = runner_with(caches);
    const CompiledObject late = planted("wrong_after_a_while"), right = planted("right");
    const auto results = runner->race({{&late}, {&right}});
    EXPECT_EQ(results[0].outcome, Outcome::kWrongResult) << cache_state_name(caches);
    EXPECT_EQ(results[0].message, "in a later call, parameter 2 element 7: expected 7.5, got 8.5, allowed error 0.001");
    EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  }
}

TEST(Rotation, CopiesAreTogetherTwiceAsLargeAsTheLastCache) {
  EXPECT_EQ(copies_beyond_cache(4096, 1 << 20), 512);
  EXPECT_EQ(copies_beyond_cache(3 << 20, 4 << 20), 3);
  EXPECT_EQ(copies_beyond_cache(100 << 20, 4 << 20), 2) << "so that none follows itself";
}

TEST(Rotation, EachCopyHasTheContentsOfTheOriginal) {
  const std::vector<std::byte> original(5000, std::byte{7}), other(9000, std::byte{8});
  BufferCopies copies;
  EXPECT_TRUE(copies.provide(3, original));
  EXPECT_FALSE(copies.provide(2, other)) << "there are enough";
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(std::vector<std::byte>(copies.at(c), copies.at(c) + 5000), original);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copies.at(c)) % 4096, 0u);
  }
  EXPECT_NE(copies.at(0), copies.at(1));
  copies.refill(4, other);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(std::vector<std::byte>(copies.at(c), copies.at(c) + 9000), other);
  copies.fill(0xff);
  EXPECT_EQ(copies.at(3)[8999], std::byte{0xff});
}

}  // namespace
}  // namespace nestwright
