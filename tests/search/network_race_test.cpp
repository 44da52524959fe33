// Networks that are timed as a whole, and kernels inside of them.
#include "search/network/network_race.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "network/candidates.h"
#include "network/identity.h"
#include "search/network/kernel_candidates.h"
#include "tests/search/tuned_network.h"

namespace nestwright {
namespace {

using ::testing::SizeIs;

class NetworkRaceTest : public TunedNetwork {
 protected:
  NetworkRecord race(const Graph& kernels, const std::function<double()>& seconds_left = {}) {
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
    return race_network({&kernels, "the model", "net.onnx", {}}, target(), log,
                        {.effort = Effort::kQuick, .seconds_left = seconds_left});
  }
};

TEST_F(NetworkRaceTest, TheNetworkIsTimedAndRecorded) {
  const Graph kernels = named(joined(products()));
  tune(workloads_of(kernels), 24);
  const NetworkRecord record = race(kernels);
  EXPECT_GT(record.timing.median_ns, 0);
  EXPECT_GT(record.kernels_ns, 0);
  EXPECT_LE(record.timing.low_ns, record.timing.median_ns);
  EXPECT_GE(record.timing.high_ns, record.timing.median_ns);
  EXPECT_EQ(record.model, "net.onnx");
  for (const NetworkKernelChoice& kernel : record.kernels) {
    EXPECT_THAT(kernel.compared, SizeIs(::testing::Ge(2U)));
    const auto is_chosen = [&](const Point& point) { return point.key() == kernel.point.key(); };
    EXPECT_TRUE(std::any_of(kernel.compared.begin(), kernel.compared.end(), is_chosen));
    EXPECT_GE(kernel.saved_ns, 0);
  }
  const TuningLog log = TuningLog::open(path_, OpenMode::kRead);
  const auto found = log.find_network(network_key(identity_of(kernels), target(), CacheState::kStream));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->timing.median_ns, record.timing.median_ns);
}

TEST_F(NetworkRaceTest, AChoiceCountsWhileItWasComparedWithTheBest) {
  const Graph kernels = named(joined(products()));
  const std::vector<std::string> workloads = workloads_of(kernels);
  tune(workloads, 24);
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const TaskContext context(Task{workload_of(workloads[0]), target(), CacheState::kStream});
  const Lookup best = look_up(context, &log);
  ASSERT_TRUE(best.record);
  std::optional<BestRecord> other;
  for (const BestRecord& record : log.top(filter_of(context.key()), 8, context.usable_templates())) {
    if (record.trial != best.record->trial && record.evidence.verified) other = record;
  }
  ASSERT_TRUE(other) << "several configurations were right";

  NetworkRecord record;
  record.key = network_key(identity_of(kernels), target(), CacheState::kStream);
  record.timing.median_ns = record.timing.low_ns = record.timing.high_ns = 1;
  record.kernels = {{context.key().workload.text, other->point, {best.record->point, other->point}, 1}};
  log.record_network(record);
  const auto taken = look_up_network(kernels, target(), &log, CacheState::kStream);
  ASSERT_THAT(taken, SizeIs(workloads.size()));
  EXPECT_EQ(taken[0].lookups[0].record->trial, other->trial);
  EXPECT_EQ(taken[0].lookups[0].match, MatchKind::kExact);
  EXPECT_NE(taken[1].lookups[0].match, MatchKind::kNearest);

  record.kernels[0].compared = {other->point};
  log.record_network(record);
  EXPECT_EQ(look_up_network(kernels, target(), &log, CacheState::kStream)[0].lookups[0].record->trial,
            best.record->trial)
      << "the task's best is a newer one";
}

TEST_F(NetworkRaceTest, CandidatesAreThoseOfExpensiveTasks) {
  const Graph kernels = named(joined(products()));
  tune(workloads_of(kernels), 24);
  const TuningLog log = TuningLog::open(path_, OpenMode::kRead);
  std::vector<TaskCandidates> tasks = look_up_network(kernels, target(), &log, CacheState::kStream);
  add_kernel_candidates(tasks, {1, 1}, log, 1);
  EXPECT_LE(tasks[0].lookups.size() + tasks[1].lookups.size(), 3U) << "one more at most";
  add_kernel_candidates(tasks, {1, 1}, log, 0);
  EXPECT_LE(tasks[0].lookups.size() + tasks[1].lookups.size(), 3U);
  std::vector<TaskCandidates> untuned = look_up_network(kernels, target(), nullptr, CacheState::kStream);
  add_kernel_candidates(untuned, {1, 1}, log, 8);
  EXPECT_EQ(untuned[0].lookups.size(), 1U);
}

TEST_F(NetworkRaceTest, WithoutTimeNothingIsRecorded) {
  const Graph kernels = named(joined(products()));
  EXPECT_EQ(race(kernels, [] { return 0.0; }).timing.median_ns, 0);
  const TuningLog log = TuningLog::open(path_, OpenMode::kRead);
  EXPECT_FALSE(log.find_network(network_key(identity_of(kernels), target(), CacheState::kStream)));
}

TEST_F(NetworkRaceTest, OfVariantsTheFirstKeepsItsPlaceUnlessAnotherIsFaster) {
  const Graph kernels = named(joined(products()));
  Graph twice;  // computes the same products, one more than once
  const ValueId x = twice.add_input("x", {kFloat32, {24, 64}});
  ValueId y = layer(twice, x, 64, 96);
  for (int i = 0; i < 8; ++i) y = layer(twice, y, 96, 96);
  twice.add_output("y", layer(twice, y, 96, 48));
  const Graph slow = named(joined(twice));
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  std::vector<RacedNetwork> networks{{&kernels, "m", "m", {}}, {&slow, "m", "m", {}}};
  EXPECT_NE(race_variants(networks, target(), log, {.effort = Effort::kQuick}), 1U);
  std::swap(networks[0], networks[1]);
  std::optional<std::size_t> fastest;
  for (int attempt = 0; attempt < 8 && !fastest; ++attempt) {  // a disturbed machine decides nothing
    fastest = race_variants(networks, target(), log, {.effort = Effort::kQuick});
  }
  if (!fastest) GTEST_SKIP() << "the machine was disturbed in all races";
  EXPECT_EQ(fastest, 1U);
  EXPECT_GT(networks[1].default_ratio, 1.5);
}

}  // namespace
}  // namespace nestwright
