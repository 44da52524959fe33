// Sessions, batches and trials, written and read back.
#include "nestwright/database.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "nestwright/error.h"
#include "tests/logs/sample.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

class TuningLogTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
  TuningLog log_ = TuningLog::open(path_, OpenMode::kWrite);
  TaskKey task_ = task_of(matmul(512, 512, 512));
};

TEST_F(TuningLogTest, TrialsComeBackAsTheyWereRecorded) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 3, points(0, 2));
  ASSERT_EQ(batch.points.size(), 2u);
  EXPECT_EQ(batch.seed, 7u);
  Measurement early = timed(2000);
  early.timing.ended_early = true;
  early.timing.disturbance = "steal of 12%";
  log_.record(session, batch.ids[0], timed(1234.5678901234567));
  log_.record(session, batch.ids[1], early);

  const TuningLog reader = TuningLog::open(path_, OpenMode::kRead);
  const std::vector<TrialRecord> trials = reader.trials(filter_of(task_));
  ASSERT_EQ(trials.size(), 2u);
  const TrialRecord& trial = trials[0];
  const Measurement expected = timed(1234.5678901234567);
  EXPECT_EQ(trial.session, session);
  EXPECT_EQ(trial.batch, 3);
  EXPECT_EQ(trial.position, 0);
  EXPECT_EQ(trial.workload, "matmul m=512 n=512 k=512");
  ASSERT_EQ(trial.parameters.size(), 3u);
  EXPECT_EQ(trial.parameters[2].value, "512");
  EXPECT_EQ(trial.point.template_name, "matmul.cpu");
  EXPECT_EQ(trial.point.version, 1);
  EXPECT_EQ(trial.point.config.str(), point(0).config.str());
  EXPECT_EQ(trial.origin, info().strategy);
  EXPECT_EQ(trial.measurement.outcome, Outcome::kOk);
  EXPECT_EQ(trial.measurement.timing.median_ns, expected.timing.median_ns);
  EXPECT_EQ(trial.measurement.timing.low_ns, expected.timing.low_ns);
  EXPECT_EQ(trial.measurement.timing.high_ns, expected.timing.high_ns);
  EXPECT_EQ(trial.measurement.timing.samples_ns, expected.timing.samples_ns);
  EXPECT_EQ(trial.measurement.timing.raw_ns, expected.timing.raw_ns);
  EXPECT_EQ(trial.measurement.timing.reference_ns, expected.timing.reference_ns);
  EXPECT_EQ(trial.measurement.timing.fma_ns, expected.timing.fma_ns);
  EXPECT_EQ(trial.measurement.timing.walk_ns, expected.timing.walk_ns);
  EXPECT_EQ(trial.measurement.timing.disturbance, "");
  EXPECT_FALSE(trial.measurement.timing.ended_early);
  EXPECT_TRUE(trial.measurement.evidence.verified);
  EXPECT_EQ(trial.measurement.evidence.largest_error, expected.evidence.largest_error);
  EXPECT_EQ(trial.measurement.evidence.largest_error_ratio, 0.125);
  EXPECT_EQ(trial.measurement.compile_ms, 15.5);
  EXPECT_EQ(trial.measurement.check_ms, 2.25);
  EXPECT_EQ(trial.measurement.measure_ms, 30.125);
  EXPECT_EQ(trial.measurement.device_clock_mhz, 1980);
  EXPECT_EQ(trial.measurement.device_temperature_c, 41.5);
  ASSERT_EQ(trial.measurement.resources.size(), 2u);
  const KernelResources& needs = trial.measurement.resources[0];
  EXPECT_EQ(needs.kernel, "first");
  EXPECT_EQ(needs.registers, 64);
  EXPECT_EQ(needs.spill_bytes, 8);
  EXPECT_EQ(needs.stack_bytes, 16);
  EXPECT_EQ(needs.shared_bytes, 4096);
  EXPECT_EQ(needs.threads, 256);
  EXPECT_EQ(needs.occupancy, 0.5);
  EXPECT_EQ(trial.measurement.resources[1].kernel, "second");
  EXPECT_EQ(trial.measurement.resources[1].registers, 255);
  EXPECT_TRUE(trials[1].measurement.timing.ended_early);
  EXPECT_EQ(trials[1].measurement.timing.disturbance, "steal of 12%");
}

TEST_F(TuningLogTest, ParametersComeBackAsTheyWereWritten) {
  TaskKey task = task_;
  task.workload.parameters.clear();
  const std::vector<std::string> values{"512", "-0.75", "1e-05", "1e+20", "007", "-0", "bias_relu", "0.10", "nan", ""};
  for (const std::string& value : values) {
    task.workload.parameters.push_back({"p" + std::to_string(task.workload.parameters.size()), value, false});
  }
  task.workload.text = "matmul of many numbers";
  const SessionId session = log_.begin_session(task, info());
  log_.record(session, log_.commit_batch(session, 0, points(0, 1)).ids[0], timed(100));
  std::vector<std::string> back;
  const std::vector<TrialRecord> trials = log_.trials(filter_of(task));
  for (const WorkloadParameter& parameter : trials.at(0).parameters) {
    back.push_back(parameter.value);
  }
  EXPECT_EQ(back, values);
}

TEST_F(TuningLogTest, EveryOutcomeIsKeptWithItsMessage) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 0, points(0, 7));
  for (int i = 0; i < 7; ++i) {
    log_.record(session, batch.ids[i], failed(static_cast<Outcome>(i), "why \"" + std::to_string(i) + "\" it's so"));
  }
  const auto trials = log_.trials({});
  ASSERT_EQ(trials.size(), 7u);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(static_cast<int>(trials[i].measurement.outcome), i);
    EXPECT_EQ(trials[i].measurement.message, "why \"" + std::to_string(i) + "\" it's so");
    EXPECT_EQ(trials[i].measurement.timing.median_ns, 0);
    EXPECT_EQ(trials[i].measurement.device_clock_mhz, 0) << "not told";
    EXPECT_TRUE(trials[i].measurement.resources.empty());
  }
}

TEST_F(TuningLogTest, AnErrorThatIsNotANumberIsKept) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 0, points(0, 1));
  Measurement wrong = failed(Outcome::kWrongResult, "C[0,0] is nan");
  wrong.evidence.largest_error = NAN;
  wrong.evidence.largest_error_ratio = INFINITY;
  wrong.timing.samples_ns = {NAN, 1};
  log_.record(session, batch.ids[0], wrong);
  const Measurement back = log_.trials({}).at(0).measurement;
  EXPECT_TRUE(std::isnan(back.evidence.largest_error));
  EXPECT_TRUE(std::isinf(back.evidence.largest_error_ratio));
  EXPECT_TRUE(std::isnan(back.timing.samples_ns.at(0)));
}

TEST_F(TuningLogTest, TheLatestTrialsInTheirOrder) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 0, points(0, 5));
  for (std::size_t i = 0; i < batch.ids.size(); ++i) {
    log_.record(session, batch.ids[i], timed(100 + static_cast<double>(i)));
  }
  const auto trials = log_.trials({}, 2);
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].position, 3);
  EXPECT_EQ(trials[1].position, 4);
}

TEST_F(TuningLogTest, SessionsThatRunAtOnceHearOfEachOther) {
  TuningLog other = TuningLog::open(path_, OpenMode::kWrite);
  const SessionId mine = log_.begin_session(task_, info()), theirs = other.begin_session(task_, info());
  const SessionId elsewhere = other.begin_session(task_of(matmul(64, 64, 64)), info());
  EXPECT_TRUE(log_.trials_after(task_, 0, mine).empty());
  const Batch my_batch = log_.commit_batch(mine, 0, points(0, 2)),
              their_batch = other.commit_batch(theirs, 0, points(2, 3));
  const Batch far_batch = other.commit_batch(elsewhere, 0, points(0, 1));
  const TrialId first = other.record(theirs, their_batch.ids[0], timed(100));
  const TrialId second = log_.record(mine, my_batch.ids[0], timed(90));
  other.record(elsewhere, far_batch.ids[0], timed(1));
  const TrialId third = other.record(theirs, their_batch.ids[2], timed(80));

  const auto ids = [&](TrialId after, SessionId except) {
    std::vector<TrialId> found;
    for (const TrialRecord& trial : log_.trials_after(task_, after, except)) found.push_back(trial.id);
    return found;
  };
  EXPECT_EQ(ids(0, mine), (std::vector<TrialId>{first, third}));
  EXPECT_EQ(ids(0, 0), (std::vector<TrialId>{first, second, third}));
  EXPECT_EQ(ids(first, mine), (std::vector<TrialId>{third}));
  EXPECT_TRUE(ids(third, mine).empty());
  EXPECT_EQ(log_.trials_after(task_, first, mine).at(0).point.config.str(), point(4).config.str());
  EXPECT_TRUE(log_.trials_after(task_of(matmul(1, 1, 1)), 0).empty()) << "a task that is not recorded";
}

TEST_F(TuningLogTest, APointIsProposedOnceForATaskAndVersion) {
  TuningLog other = TuningLog::open(path_, OpenMode::kWrite);
  const SessionId first = log_.begin_session(task_, info());
  const SessionId second = other.begin_session(task_, info());
  log_.commit_batch(first, 0, points(0, 4));
  const Batch overlapping = other.commit_batch(second, 0, points(2, 4));
  ASSERT_EQ(overlapping.points.size(), 2u);
  EXPECT_EQ(overlapping.points[0].config, point(4).config);
  EXPECT_EQ(other.commit_batch(second, 1, {point(0, 2)}).points.size(), 1u) << "another version is another point";
  const SessionId elsewhere = other.begin_session(task_of(matmul(64, 64, 64)), info());
  EXPECT_EQ(other.commit_batch(elsewhere, 0, points(0, 4)).points.size(), 4u);
}

TEST_F(TuningLogTest, ConditionsMakeDifferentTasks) {
  std::vector<TaskKey> tasks(9, task_);
  tasks[1].target = "cpu,isa=avx2,threads=2";
  tasks[2].machine = "another machine";
  tasks[3].backend = "LLVM 22.1.0";
  tasks[4].pipeline = Pipeline::kFinal;
  tasks[5].cache = "cold";
  tasks[6].pages = "huge";
  tasks[7].prepacked = "B";
  tasks[8].workload = matmul(512, 512, 512, "float64");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const SessionId session = log_.begin_session(tasks[i], info());
    EXPECT_EQ(log_.commit_batch(session, 0, points(0, 1)).points.size(), 1u) << "task " << i;
    EXPECT_EQ(log_.next_batch_number(tasks[i]), 1) << "task " << i;
  }
}

TEST_F(TuningLogTest, NumbersOfBatchesGoOn) {
  EXPECT_EQ(log_.next_batch_number(task_), 0);
  const SessionId session = log_.begin_session(task_, info());
  EXPECT_EQ(log_.next_batch_number(task_), 0);
  log_.commit_batch(session, 0, points(0, 1));
  log_.commit_batch(session, 1, points(1, 1));
  EXPECT_EQ(log_.next_batch_number(task_), 2);
  EXPECT_THAT(message<LogError>([&] { log_.commit_batch(session, 1, points(2, 1)); }),
              HasSubstr("has a batch 1 already"));
}

TEST_F(TuningLogTest, AnInterruptedBatchIsFinishedByTheNextSession) {
  const SessionId first = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(first, 5, points(0, 3));
  log_.record(first, batch.ids[1], timed(100));
  EXPECT_FALSE(log_.claim_unfinished_batch(first)) << "its own batch is not an interrupted one";
  const SessionId rival = log_.begin_session(task_, info());
  EXPECT_FALSE(log_.claim_unfinished_batch(rival)) << "the first session still works on it";
  log_.end_session(first, SessionStatus::kInterrupted, "Ctrl-C");

  const auto claimed = log_.claim_unfinished_batch(rival);
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->number, 5);
  EXPECT_EQ(claimed->seed, 7u);
  ASSERT_EQ(claimed->points.size(), 2u);
  EXPECT_EQ(claimed->points[0].config.str(), point(0).config.str());
  EXPECT_EQ(claimed->points[1].config.str(), point(2).config.str());
  EXPECT_THAT(message<LogError>([&] { log_.record(first, batch.ids[0], timed(1)); }),
              HasSubstr("does not work on proposal"));
  for (const ProposalId proposal : claimed->ids) log_.record(rival, proposal, timed(50));
  EXPECT_FALSE(log_.claim_unfinished_batch(rival));
  EXPECT_EQ(log_.trials({}).back().session, rival) << "a trial belongs to the session that measured it";
}

TEST_F(TuningLogTest, BatchesOfOtherTasksAreNotClaimed) {
  const SessionId first = log_.begin_session(task_, info());
  log_.commit_batch(first, 0, points(0, 3));
  log_.end_session(first, SessionStatus::kInterrupted, "");
  EXPECT_FALSE(log_.claim_unfinished_batch(log_.begin_session(task_of(matmul(64, 64, 64)), info())));
}

TEST_F(TuningLogTest, MisuseIsRefused) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 0, points(0, 1));
  log_.record(session, batch.ids[0], timed(100));
  EXPECT_THAT(message<LogError>([&] { log_.record(session, batch.ids[0], timed(90)); }),
              HasSubstr("has its trial already"));
  EXPECT_THAT(message<LogError>([&] { log_.record(session, 999, timed(90)); }),
              HasSubstr("does not work on proposal 999"));
  EXPECT_THAT(message<LogError>([&] { log_.commit_batch(77, 0, {}); }), HasSubstr("has no session 77"));
  EXPECT_THAT(message<LogError>([&] { log_.end_session(77, SessionStatus::kDone, ""); }),
              HasSubstr("has no session 77 to end"));
  EXPECT_EQ(log_.trials({}).size(), 1u);
}

TEST_F(TuningLogTest, FiltersCombine) {
  for (const TaskKey& task : {task_, task_of(matmul(64, 64, 64)), task_of(matmul(64, 64, 64, "float64"))}) {
    const SessionId session = log_.begin_session(task, info());
    const Batch batch = log_.commit_batch(session, 0, points(0, 1));
    log_.set_incumbent(session, log_.record(session, batch.ids[0], timed(100)));
  }
  TaskFilter filter;
  EXPECT_EQ(log_.trials(filter).size(), 3u);
  filter.dtype = "float32";
  EXPECT_EQ(log_.trials(filter).size(), 2u);
  filter.threads = 2;
  EXPECT_EQ(log_.list(filter).size(), 2u);
  filter.threads = 1;
  EXPECT_EQ(log_.list(filter).size(), 0u);
  filter = {};
  filter.op = "conv2d";
  EXPECT_EQ(log_.list(filter).size(), 0u);
}

}  // namespace
}  // namespace nestwright
