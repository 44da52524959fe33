// Which stored bests are selected for revalidation, and what is said of each.
#include "search/revalidation/stored_bests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "logs/sqlite/database.h"
#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class StoredBestsTest : public ::testing::Test {
 protected:
  static constexpr const char* kSmall = "matmul m=8 n=8 k=8";
  static constexpr const char* kLarge = "matmul m=64 n=64 k=64";

  void record(const std::string& workload, double median_ns = 1000,
              const RecordProvenance& made_by = current_provenance(nullptr)) {
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
    record_default(log, {parse_workload(workload), Target::parse("cpu,isa=x86-64")}, median_ns, made_by);
  }
  void edit(const std::string& sql) const { sqlite::Database(path_, path_, SQLITE_OPEN_READWRITE, 1000).execute(sql); }
  std::vector<StoredBest> selected(const StoredBestsFilter& filter = {.only_changed = false}) const {
    const TuningLog log = TuningLog::open(path_, OpenMode::kRead);
    return stored_bests(log, filter, [](const std::string& text) { return parse_workload(text); });
  }
  StoredBest only() const {
    std::vector<StoredBest> bests = selected();
    EXPECT_EQ(bests.size(), 1U);
    return bests.at(0);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("log.db");
};

std::vector<std::string> workloads(const std::vector<StoredBest>& bests) {
  std::vector<std::string> texts;
  for (const StoredBest& best : bests) texts.push_back(best.record.task.workload.text);
  return texts;
}

TEST_F(StoredBestsTest, CurrentOnesAreSelectedOnDemandOnly) {
  record(kSmall);
  EXPECT_THAT(selected({}), ElementsAre());
  const StoredBest best = only();
  EXPECT_EQ(best.changes, "");
  EXPECT_EQ(best.obstacle, "");
  EXPECT_EQ(best.why_not_compared, "");
  EXPECT_EQ(best.target(), Target::parse("cpu,isa=x86-64").str());
  ASSERT_TRUE(best.context.has_value());
  EXPECT_TRUE(best.is_of_same_task());
  ASSERT_TRUE(best.was.has_value());
  EXPECT_EQ(best.was->median_ns, best.record.timing.median_ns);
  EXPECT_GT(best.was->fma_ns, 0);
  EXPECT_EQ(best.was->recorded_at, best.record.recorded_at);
}

TEST_F(StoredBestsTest, WhatAnotherCodeGeneratorMadeIsSelected) {
  record(kSmall);
  RecordProvenance other = current_provenance(nullptr);
  other.code_generator = "0123456789abcdef";
  record(kLarge, 1000, other);
  const std::vector<StoredBest> bests = selected({});
  EXPECT_THAT(workloads(bests), ElementsAre(kLarge));
  EXPECT_EQ(bests[0].changes, "compiled by another version of the code generator");
  EXPECT_TRUE(bests[0].is_of_same_task());
}

TEST_F(StoredBestsTest, TheOldestComesFirst) {
  record(kSmall);
  record(kLarge);
  EXPECT_THAT(workloads(selected()), ElementsAre(kSmall, kLarge));
  edit("UPDATE trial SET recorded_at = '2020-01-01T00:00:00.000Z' WHERE id = (SELECT max(id) FROM trial)");
  EXPECT_THAT(workloads(selected()), ElementsAre(kLarge, kSmall));
  EXPECT_THAT(workloads(selected({.recorded_before = "2021-01-01T00:00:00Z", .only_changed = false})),
              ElementsAre(kLarge));
}

TEST_F(StoredBestsTest, WorkloadsAreChosenByTheirTexts) {
  record(kSmall);
  record(kLarge);
  EXPECT_THAT(workloads(selected({.workloads = {kLarge, "matmul m=9 n=9 k=9"}, .only_changed = false})),
              ElementsAre(kLarge));
}

TEST_F(StoredBestsTest, WhatAnotherMachineRecordedHasAnObstacle) {
  record(kSmall);
  edit("UPDATE target SET machine = 'another machine'");
  const StoredBest best = only();
  EXPECT_EQ(best.obstacle, "it was recorded on another machine");
  EXPECT_FALSE(best.context.has_value());
  EXPECT_EQ(best.record.match, MatchKind::kOtherMachine);
}

TEST_F(StoredBestsTest, AnOperatorThatIsNotLoadedIsAnObstacle) {
  record(kSmall);
  edit("UPDATE workload SET workload = 'clip n=8', op = 'clip'");
  EXPECT_THAT(only().obstacle, HasSubstr("there is no operator 'clip'"));
}

TEST_F(StoredBestsTest, ATemplateThatThisBuildDoesNotHaveIsAnObstacle) {
  record(kSmall);
  edit("UPDATE space SET template_version = 99");
  EXPECT_THAT(only().obstacle, StartsWith("this build does not have template matmul.cpu version 99"));
}

TEST_F(StoredBestsTest, WhatThisMachineCannotRunHasAnObstacle) {
  record(kSmall);
  edit("UPDATE target SET target = 'no target at all'");
  EXPECT_NE(only().obstacle, "");
}

TEST_F(StoredBestsTest, WhatAnotherBackendRecordedIsOfAnotherTask) {
  record(kSmall);
  edit("UPDATE target SET backend = 'LLVM 3.0'");
  const std::vector<StoredBest> bests = selected({});
  ASSERT_EQ(bests.size(), 1U);
  EXPECT_THAT(bests[0].changes, StartsWith("compiled with LLVM 3.0, not "));
  EXPECT_FALSE(bests[0].is_of_same_task());
  EXPECT_TRUE(bests[0].context.has_value());
}

TEST_F(StoredBestsTest, OneRecordStandsForAllBackends) {
  record(kSmall, 2000);
  edit("UPDATE target SET backend = 'LLVM 3.0'");
  record(kSmall, 1000);
  EXPECT_TRUE(only().is_of_same_task());
  // A race that was won under the other one proves more than a trial under this one.
  edit(
      "INSERT INTO race(session_id, task_id, pipeline, winner_trial_id, disturbance, recorded_at)"
      " SELECT session.id, session.task_id, 1, trial.id, '', trial.recorded_at FROM trial"
      " JOIN session ON session.id = trial.session_id WHERE trial.id = 1");
  edit(
      "INSERT INTO race_entry(race_id, trial_id, role, tied, process_medians_ns, outcome, message, median_ns, low_ns,"
      " high_ns, samples_ns, raw_ns, reference_ns, fma_ns, walk_ns, ended_early, disturbance, verified, largest_error,"
      " largest_error_ratio) SELECT 1, id, 'finalist', 0, '[]', outcome, message, median_ns, low_ns, high_ns, "
      "samples_ns,"
      " raw_ns, reference_ns, fma_ns, walk_ns, ended_early, disturbance, verified, largest_error, largest_error_ratio"
      " FROM trial WHERE id = 1");
  const StoredBest best = only();
  EXPECT_EQ(best.record.source, BestSource::kRace);
  EXPECT_FALSE(best.is_of_same_task());
}

TEST_F(StoredBestsTest, ADisturbedTimeIsNotComparedWith) {
  record(kSmall);
  edit("UPDATE trial SET disturbance = 'the hypervisor took 10 ms'");
  const StoredBest best = only();
  EXPECT_EQ(best.why_not_compared, "its stored time was taken on a disturbed machine");
  EXPECT_EQ(best.obstacle, "");
}

#ifdef WITH_CUDA
TEST(ThisMachine, IsOneWithAnotherDriverToo) {
  setenv("NESTWRIGHT_CUDA_DRIVER", FAKE_CUDA, 1);
  const Target target = Target::parse("cuda,arch=sm_90");
  const std::string here = machine_of(target), host = here.substr(0, here.rfind(';')),
                    device = here.substr(host.size());
  ASSERT_THAT(device, StartsWith("; Fake 7, ")) << here;
  EXPECT_TRUE(is_this_machine(here, target));
  EXPECT_TRUE(is_this_machine(host + "; Fake 7, another driver", target));
  EXPECT_FALSE(is_this_machine(host + "; Fake 8, another driver", target));
  EXPECT_FALSE(is_this_machine("another host" + device, target));
  EXPECT_FALSE(is_this_machine(here, Target::parse("cpu"))) << "a processor has no driver";
  unsetenv("NESTWRIGHT_CUDA_DRIVER");
}
#endif

}  // namespace
}  // namespace nestwright
