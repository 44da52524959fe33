// Sequences of calls, timed in a worker.
#include "measure/sequence/sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>

#include "measure/sequence/alternatives.h"
#include "measure/sequence/sequence_race.h"
#include "measure/sequence/sequence_worker.h"
#include "nestwright/error.h"
#include "support/os/descriptors.h"
#include "tests/measure/planted.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kBytes = 4096;  // of each tensor
constexpr int kAttempts = 20;          // a disturbance lasts for a few

/// C = A + B, then D = C + B: each step with the planted kernels that are given for it.
class SequenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    use_worker(WORKER);
    const std::vector<char> zeros(2 * kBytes, 0);
    ASSERT_EQ(write(data_.get(), zeros.data(), zeros.size()), static_cast<ssize_t>(zeros.size()));
  }

  SequenceSetup setup(const std::vector<std::vector<std::string>>& steps) {
    SequenceSetup made;
    made.sequence.data_bytes = 2 * kBytes;
    made.sequence.scratch_bytes = static_cast<std::int64_t>(steps.size()) * kBytes;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      std::vector<SequenceCall>& step = made.sequence.steps.emplace_back();
      for (const std::string& symbol : steps[s]) {
        using In = SequenceBuffer::In;
        const auto before = static_cast<std::int64_t>(s) * kBytes - kBytes;
        const SequenceBuffer first = s == 0 ? SequenceBuffer{In::kData, 0} : SequenceBuffer{In::kScratch, before};
        step.push_back({static_cast<std::int64_t>(made.sequence.kernels.size()),
                        {first, {In::kData, kBytes}, {In::kScratch, before + kBytes}}});
        made.sequence.kernels.push_back(planted(symbol));
      }
    }
    return made;
  }

  UniqueFd data_ = make_memory_file("sequence-test");
};

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST_F(SequenceTest, MessagesComeBackAsTheyWere) {
  SequenceSetup sent = setup({{"right", "slow_2"}, {"right"}});
  sent.threads = 3;
  const SequenceSetup got = decode_sequence_setup(encode(sent));
  EXPECT_EQ(got.threads, 3);
  ASSERT_EQ(got.sequence.steps.size(), 2U);
  EXPECT_EQ(got.sequence.steps[0][1].kernel, 1);
  EXPECT_EQ(got.sequence.steps[1][0].buffers[2].offset, kBytes);
  EXPECT_EQ(got.sequence.kernels[1].symbol, "slow_2");
  const SequenceRequest request = decode_sequence_request(encode(SequenceRequest{{1, 0}, 7, true, true}));
  EXPECT_EQ(request.choice, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(request.calls, 7);
  EXPECT_TRUE(request.warm_up && request.with_steps);
  EXPECT_THROW(decode_sequence_setup(encode(sent).substr(0, 60)), UsageError);
}

TEST_F(SequenceTest, TimesOfStepsAreInProportion) {
  const SequenceSetup two = setup({{"right", "slow_10"}, {"right"}});
  SequenceWorker worker(two, data_.get());
  double ratio = 0;
  for (int attempt = 0; attempt < kAttempts && (ratio < 5 || ratio > 15); ++attempt) {
    const auto fast = worker.ask({{0, 0}, 3, true, true}, 10), slow = worker.ask({{1, 0}, 3, true, true}, 10);
    ASSERT_TRUE(fast && slow);
    ASSERT_THAT(slow->step_ns, SizeIs(2));
    EXPECT_GT(slow->reading.ns, sum(slow->step_ns)) << "of three calls, the last one's steps";
    ratio = slow->step_ns[0] / fast->step_ns[0];
  }
  EXPECT_NEAR(ratio, 10, 5);
  const auto around = worker.ask({{}, 0}, 10);
  ASSERT_TRUE(around);
  EXPECT_GT(around->surroundings.walk_ns, 0);
  EXPECT_THAT(around->step_ns, IsEmpty());
}

TEST_F(SequenceTest, TheFasterAlternativeOfEachStepIsSeen) {
  const SequenceSetup two = setup({{"slow_2", "right"}, {"right", "slow_10"}, {"right"}});
  SequenceWorker worker(two, data_.get());
  double first = 0, second = 0;
  for (int attempt = 0; attempt < kAttempts && !(first < 0.9 && second > 2); ++attempt) {
    const AlternativesResult result = time_alternatives(worker, {{0}, {1}, {2}}, 12);
    ASSERT_GT(result.blocks, 0);
    EXPECT_EQ(result.disturbed + (result.disturbed == 12 ? 0 : result.blocks), 12);
    ASSERT_THAT(result.times, SizeIs(3));
    EXPECT_THAT(result.times[2], IsEmpty()) << "it has one alternative";
    ASSERT_THAT(result.times[0], SizeIs(2));
    ASSERT_THAT(result.times[0][0], SizeIs(static_cast<std::size_t>(result.blocks)));
    EXPECT_THAT(result.step_ns, SizeIs(3));
    first = paired_ratio(result.times[0][1], result.times[0][0]).median;
    second = paired_ratio(result.times[1][1], result.times[1][0]).median;
  }
  EXPECT_LT(first, 0.9);
  EXPECT_GT(second, 2);
}

TEST_F(SequenceTest, EqualStepsTakeTheSameAlternative) {
  const SequenceSetup two = setup({{"right", "slow_10"}, {"right"}, {"right", "slow_10"}});
  SequenceWorker worker(two, data_.get());
  double ratio = 0;
  for (int attempt = 0; attempt < kAttempts && ratio < 3; ++attempt) {
    const AlternativesResult result = time_alternatives(worker, {{0, 2}, {1}}, 8);
    ratio = paired_ratio(result.times[0][1], result.times[0][0]).median;
  }
  EXPECT_GT(ratio, 3);
}

TEST_F(SequenceTest, AnEndIsKept) {
  const SequenceSetup two = setup({{"right", "slow_2"}});
  SequenceWorker worker(two, data_.get());
  const AlternativesResult result = time_alternatives(worker, {{0}}, 1000, [] { return true; });
  EXPECT_LE(result.blocks, 2);
  EXPECT_GE(result.blocks, 1);
}

TEST_F(SequenceTest, SequencesRaceAsFinalistsDo) {
  const SequenceSetup two = setup({{"right", "slow_10"}, {"right"}});
  const std::vector<SequenceContender> contenders{{&two, data_.get(), {0, 0}}, {&two, data_.get(), {1, 0}}};
  double ratio = 0;
  for (int attempt = 0; attempt < kAttempts && ratio < 2; ++attempt) {
    const std::vector<Timing> timings = race_sequences(contenders, planted_options().timing, {});
    ASSERT_THAT(timings, SizeIs(2));
    ASSERT_GT(timings[0].median_ns, 0);
    EXPECT_THAT(process_medians(timings[0]), SizeIs(::testing::Ge(1U)));
    ratio = timings[1].median_ns / timings[0].median_ns;
  }
  EXPECT_GT(ratio, 2);
}

TEST_F(SequenceTest, AKernelThatFailsIsReported) {
  for (const auto& [symbol, why] :
       std::vector<std::pair<std::string, std::string>>{{"returns_5", "returned 5"}, {"wild_store", "SIGSEGV"}}) {
    const SequenceSetup two = setup({{"right", symbol}});
    SequenceWorker worker(two, data_.get());
    EXPECT_TRUE(worker.ask({{0}, 1}, 10));
    EXPECT_FALSE(worker.ask({{1}, 1}, 10));
    EXPECT_THAT(worker.failure(), HasSubstr(why));
    EXPECT_TRUE(worker.ask({{0}, 1}, 10)) << "in a new process";
    EXPECT_EQ(time_alternatives(worker, {{0}}, 2).blocks, 0);
  }
}

TEST_F(SequenceTest, ARunThatDoesNotEndIsEnded) {
  const SequenceSetup two = setup({{"slow_200000"}});
  SequenceWorker worker(two, data_.get());
  EXPECT_FALSE(worker.ask({{0}, 1000}, 0.2));
  EXPECT_THAT(worker.failure(), HasSubstr("not done after 0.2 s"));
}

TEST_F(SequenceTest, AChoiceThatTheSequenceLacksIsRefused) {
  const SequenceSetup two = setup({{"right"}});
  SequenceWorker worker(two, data_.get());
  EXPECT_FALSE(worker.ask({{1}, 1}, 10));
  EXPECT_THAT(worker.failure(), HasSubstr("an alternative that the sequence does not have"));
}

}  // namespace
}  // namespace nestwright
