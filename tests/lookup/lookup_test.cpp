// The configuration for a workload: exact, nearest if it fits, else the template's default.

#include "nestwright/lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/lookup/small_log.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

class LookupTest : public ::testing::Test {
 protected:
  static Task task(const std::string& workload, const std::string& target = "cpu,isa=avx2") {
    return {parse_workload(workload), Target::parse(target)};
  }
  static ConfigSpace space_of(const Task& task) {
    return discover_space(*builtin_registry().find_template("matmul.cpu"), task.workload, task.target);
  }

  /// Returns some valid configuration of the task for which `wanted` holds.
  template <typename Wanted>
  static Config pick(const Task& task, Wanted wanted) {
    const ConfigSpace space = space_of(task);
    std::mt19937_64 random(1);
    for (int i = 0; i < 5000; ++i) {
      const std::optional<Config> config = space.sample(random);
      if (config && wanted(*config)) return *config;
    }
    throw InternalError("no such configuration of " + task.workload.str());
  }

  void record(const Task& task, const Config& config, double median_ns, int version = 0) {
    record_as(task_key(task), config, median_ns, version);
  }
  void record_as(const TaskKey& key, const Config& config, double median_ns, int version = 0) {
    if (version == 0) version = builtin_registry().find_template("matmul.cpu")->version;
    const SessionId session = log_.begin_session(key, info());
    const Batch batch = log_.commit_batch(session, log_.next_batch_number(key), {{"matmul.cpu", version, config}});
    log_.set_incumbent(session, log_.record(session, batch.ids.at(0), timed(median_ns)));
    log_.end_session(session, SessionStatus::kDone, "made up");
  }

  const TemporaryFolder folder_;
  TuningLog log_ = TuningLog::open(folder_.file("some.db"), OpenMode::kWrite);
};

TEST_F(LookupTest, WithoutADatabaseTheDefaultIsTheFirstSeed) {
  const Task asked = task("matmul m=96 n=96 k=96");
  const Lookup found = look_up(asked, nullptr);
  EXPECT_EQ(found.match, MatchKind::kDefault);
  EXPECT_EQ(found.why_default, "no database was given");
  EXPECT_FALSE(found.record.has_value());
  ASSERT_NE(found.source, nullptr);
  EXPECT_EQ(found.config, found.source->seeds(asked.workload, asked.target).front());
  EXPECT_TRUE(space_of(asked).is_valid(found.config));
}

TEST_F(LookupTest, AnEmptyDatabaseGivesTheDefaultAndSaysWhy) {
  const Lookup found = look_up(task("matmul m=96 n=96 k=96"), &log_);
  EXPECT_EQ(found.match, MatchKind::kDefault);
  EXPECT_EQ(found.why_default, "the database has no record that fits it");
}

TEST_F(LookupTest, EachStateOfTheCachesHasItsOwnRecords) {
  Task asked = task("matmul m=96 n=96 k=96");
  const Config config = look_up(asked, nullptr).config;
  asked.caches = CacheState::kCold;
  record(asked, config, 5000);
  EXPECT_EQ(look_up(asked, &log_).match, MatchKind::kExact);
  asked.caches = CacheState::kStream;
  EXPECT_EQ(look_up(asked, &log_).match, MatchKind::kDefault);
  asked.caches = CacheState::kWarm;
  const Lookup found = look_up(asked, &log_);
  EXPECT_EQ(found.match, MatchKind::kDefault);
  EXPECT_EQ(found.why_default, "the database has no record that fits it with warm caches, but one with cold caches");
  record(asked, config, 1000);
  EXPECT_EQ(look_up(asked, &log_).record->timing.median_ns, 1000);
}

TEST_F(LookupTest, ExactBeforeNearest) {
  const Task asked = task("matmul m=96 n=96 k=96"), other = task("matmul m=96 n=96 k=97");
  const Config config = pick(asked, [](const Config&) { return true; });
  record(asked, config, 5000);
  record(other, look_up(other, nullptr).config, 10);
  const Lookup found = look_up(asked, &log_);
  EXPECT_EQ(found.match, MatchKind::kExact);
  EXPECT_EQ(found.config, config) << "labels resolved: equal to what the space gave";
  ASSERT_TRUE(found.record.has_value());
  EXPECT_EQ(found.record->timing.median_ns, 5000);
}

TEST_F(LookupTest, ThisMachineBeforeOthersAndOthersBeforeTheNearestShape) {
  const Task asked = task("matmul m=96 n=96 k=96"), near = task("matmul m=96 n=96 k=97");
  const Config config = look_up(asked, nullptr).config;
  record(near, look_up(near, nullptr).config, 10);
  TaskKey elsewhere = task_key(asked);
  elsewhere.machine = "another machine";
  record_as(elsewhere, config, 20);
  const Lookup other = look_up(asked, &log_);
  EXPECT_EQ(other.match, MatchKind::kOtherMachine);
  EXPECT_EQ(other.record->task.machine, "another machine");
  EXPECT_EQ(other.config, config);
  record(asked, config, 5000);
  EXPECT_EQ(look_up(asked, &log_).match, MatchKind::kExact);
  EXPECT_EQ(look_up(asked, &log_).record->timing.median_ns, 5000);
}

TEST_F(LookupTest, NearestIsTheNearestShape) {
  const Task near = task("matmul m=64 n=64 k=64"), far = task("matmul m=1024 n=1024 k=1024");
  const Config config = look_up(near, nullptr).config;
  record(near, config, 5000);
  record(far, look_up(far, nullptr).config, 4000);
  const Lookup found = look_up(task("matmul m=64 n=64 k=128"), &log_);
  EXPECT_EQ(found.match, MatchKind::kNearest);
  ASSERT_TRUE(found.record.has_value());
  EXPECT_EQ(found.record->task.workload.text, near.workload.str());
  EXPECT_NEAR(found.record->distance, 1, 1e-12) << "k is twice as long";
}

TEST_F(LookupTest, NearestOnlyWhereItIsAValidPoint) {
  const Task recorded = task("matmul m=512 n=512 k=512"), asked = task("matmul m=3 n=5 k=7");
  const ConfigSpace small = space_of(asked);
  const auto fits = [&](const Config& config) {
    try {
      return small.is_valid(small.resolve(config));
    } catch (const UsageError&) {
      return false;
    }
  };
  record(recorded, pick(recorded, [&](const Config& config) { return !fits(config); }), 5000);
  const Lookup found = look_up(asked, &log_);
  EXPECT_EQ(found.match, MatchKind::kDefault);
  EXPECT_TRUE(small.is_valid(found.config));
}

TEST_F(LookupTest, AFartherOneThatFitsServesWhereTheNearestDoesNot) {
  const Task asked = task("matmul m=24 n=24 k=24"), near = task("matmul m=32 n=32 k=32"),
             far = task("matmul m=48 n=48 k=48");
  const ConfigSpace space = space_of(asked);
  const auto fits = [&](const Config& config) {
    try {
      return space.is_valid(space.resolve(config));
    } catch (const UsageError&) {
      return false;
    }
  };
  record(near, pick(near, [&](const Config& config) { return !fits(config); }), 10);
  record(far, pick(far, fits), 5000);
  const Lookup found = look_up(asked, &log_);
  EXPECT_EQ(found.match, MatchKind::kNearest);
  ASSERT_TRUE(found.record.has_value());
  EXPECT_EQ(found.record->task.workload.text, far.workload.str());
  EXPECT_TRUE(space.is_valid(found.config));
}

TEST_F(LookupTest, OtherVersionsOfTheTemplateDoNotCount) {
  const Task asked = task("matmul m=96 n=96 k=96");
  const int version = builtin_registry().find_template("matmul.cpu")->version;
  const Config config = look_up(asked, nullptr).config;
  record(asked, config, 10, version + 1);
  EXPECT_EQ(look_up(asked, &log_).match, MatchKind::kDefault);
  record(asked, config, 5000, version);
  const Lookup found = look_up(asked, &log_);
  EXPECT_EQ(found.match, MatchKind::kExact);
  EXPECT_EQ(found.record->timing.median_ns, 5000) << "the faster one is another version's";
}

TEST_F(LookupTest, OtherTypesTranspositionsAndTargetsDoNotCount) {
  for (const std::string other : {"matmul m=96 n=96 k=96 dtype=float64", "matmul m=96 n=96 k=96 tb=1"}) {
    record(task(other), look_up(task(other), nullptr).config, 10);
  }
  const Task elsewhere = task("matmul m=96 n=96 k=96", "cpu,isa=x86-64");
  record(elsewhere, look_up(elsewhere, nullptr).config, 10);
  EXPECT_EQ(look_up(task("matmul m=96 n=96 k=96"), &log_).match, MatchKind::kDefault);
}

TEST_F(LookupTest, ItSaysWhyTheRecordIsOnlyAHint) {
  const Task asked = task("matmul m=96 n=96 k=96");
  EXPECT_EQ(look_up(asked, &log_).hint, "") << "a default has no record";
  record_default(log_, asked, 5000);
  EXPECT_EQ(look_up(asked, &log_).hint, "");
  EXPECT_EQ(look_up_trial(asked, log_, 1)->hint, "");

  const Task other = task("matmul m=96 n=96 k=97");
  RecordProvenance made_by = current_provenance(nullptr);
  made_by.code_generator = "0123456789abcdef";
  record_default(log_, other, 5000, made_by);
  const std::string reason = "compiled by another version of the code generator";
  EXPECT_EQ(look_up(other, &log_).hint, reason);
  EXPECT_EQ(look_up_trial(other, log_, 2)->hint, reason);
}

TEST_F(LookupTest, ATrialOfATemplateThatIsNotThereNamesThePluginsToGive) {
  const Task asked = task("matmul m=96 n=96 k=96");
  const auto refusal = [&](const std::vector<std::string>& plugins, int version) {
    SessionInfo made = info();
    made.made_by = current_provenance(nullptr);
    made.made_by.plugins = plugins;
    const TaskKey key = task_key(asked);
    const SessionId session = log_.begin_session(key, made);
    const Point point{"matmul.rows", version, look_up(asked, nullptr).config};
    const Batch batch = log_.commit_batch(session, log_.next_batch_number(key), {point});
    const TrialId trial = log_.record(session, batch.ids.at(0), timed(5000));
    return message<UsageError>([&] { look_up_trial(asked, log_, trial); });
  };
  EXPECT_EQ(
      refusal({"rows 1.0 0123456789abcdef"}, 3),
      "trial 1 is no valid configuration of template matmul.rows version 3 in this build (the plugin rows was 1.0 "
      "0123456789abcdef, and is not loaded): give that plugin with --plugin, or tune again");
  EXPECT_EQ(refusal({}, 4),
            "trial 2 is no valid configuration of template matmul.rows version 4 in this build: tune again");
}

TEST_F(LookupTest, WrongAndUnverifiedResultsAreNeverFound) {
  const Task asked = task("matmul m=96 n=96 k=96");
  const TaskKey key = task_key(asked);
  const SessionId session = log_.begin_session(key, info());
  const Config config = look_up(asked, nullptr).config;
  const int version = builtin_registry().find_template("matmul.cpu")->version;
  const Batch batch = log_.commit_batch(session, 0, {{"matmul.cpu", version, config}});
  log_.record(session, batch.ids.at(0), failed(Outcome::kWrongResult, "C[0, 0] is 1, not 2"));
  EXPECT_EQ(look_up(asked, &log_).match, MatchKind::kDefault);
}

TEST_F(LookupTest, TheProgramOfWhatWasFoundIsTheWorkloads) {
  const Task asked = task("matmul m=24 n=40 k=8");
  const Lookup found = look_up(asked, nullptr);
  const ir::Program program = program_of(asked, *found.source, found.config, "product");
  EXPECT_EQ(program.parameters.size(), 3u);
}

}  // namespace
}  // namespace nestwright
