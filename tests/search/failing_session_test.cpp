// A session none of whose candidates can be lowered.
#include <gmock/gmock.h>

#include <cstdlib>

#include "lookup/task_key.h"
#include "nestwright/registry.h"
#include "search/session/session.h"
#include "support/os/scratch_folder.h"

namespace nestwright {
namespace {

/// Y[i] = 2 X[i] on loops that are bound to the threads of a device, which CPUs do not have; with `is_mendable`, one of
/// the values of a knob binds nothing.
Task failing_task(bool is_mendable) {
  const auto op = std::make_shared<Operator>();
  op->name = "failing";
  op->parameters = {{"n", "the number of elements"}};
  op->define = [](const Workload& workload) {
    const Expr n(workload.size("n"));
    const Tensor x = placeholder({n}, kFloat32, "X");
    const Tensor y = compute({n}, [&](const Expr& i) { return x(i) + x(i); }, "Y");
    return Definition{{x, y}, 1, 1024, 8192};
  };
  op->reference = [](const Workload&, const HostTensors& inputs) {
    Reference reference = one_result(inputs[0].size());
    for (std::size_t i = 0; i < inputs[0].size(); ++i) reference.expected[0][i] = 2 * inputs[0][i];
    return reference;
  };
  Template& source = op->templates.emplace_back();
  source.name = "failing.cpu";
  source.schedule = [is_mendable](Tuning& t, const Workload&, Definition& definition, const Target&) {
    std::vector<std::int64_t> factors;
    for (std::int64_t f = 1; f <= 200; ++f) factors.push_back(f);
    const KnobExpr knob = t.define_knob("factor", factors);
    Schedule s = create_schedule(definition.args[1]);
    const auto [outer, inner] = s[definition.args[1]].split(s[definition.args[1]].axis(0), factor(knob));
    if (!is_mendable || std::int64_t{knob} != 1) s[definition.args[1]].bind(outer, kThreadIdxX);
    return s;
  };
  source.seeds = [](const Workload&, const Target&) { return std::vector<Config>{Config::parse("factor=1")}; };
  return {parse_workload("failing n=1024", op), Target::parse("cpu,isa=avx2,threads=1")};
}

class FailingSessionTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  SessionResult tune(const Task& task, std::int64_t trials, const std::string& strategy = "genetic") {
    return run_session(task, log_, {.budget = {.trials = trials}, .effort = Effort::kQuick, .strategy = strategy});
  }

  const ScratchFolder folder_{"failing-session-test"};
  TuningLog log_ = TuningLog::open(folder_.path() + "/log.db", OpenMode::kWrite);
};

TEST_F(FailingSessionTest, EndsAfterItsFirstTrials) {
  const SessionResult result = tune(failing_task(false), 150);
  EXPECT_TRUE(result.all_failed);
  EXPECT_EQ(result.trials, 64);
  EXPECT_EQ(result.stop_reason, "the first 64 trials all failed");
  EXPECT_EQ(result.best, std::nullopt);
  EXPECT_EQ(result.outcomes.at(Outcome::kInvalidConfig), 64);
}

TEST_F(FailingSessionTest, GoesOnWhereOnlyTheDefaultIsRight) {
  const SessionResult result = tune(failing_task(true), 80);
  EXPECT_FALSE(result.all_failed);
  EXPECT_EQ(result.stop_reason, "80 trials done");
  // The next run does not measure the default again, but knows that it is right.
  EXPECT_EQ(tune(failing_task(true), 70).stop_reason, "70 trials done");
}

TEST_F(FailingSessionTest, GoesOnWhereWhatIsRightIsOutsideOfItsSpace) {
  const Task task = failing_task(true);
  EXPECT_FALSE(log_.has_right_trial(task_key(task)));
  tune(task, 1);
  EXPECT_TRUE(log_.has_right_trial(task_key(task)));
  EXPECT_FALSE(log_.has_right_trial(task_key({parse_workload("matmul m=8 n=8 k=8"), task.target})));
  SessionOptions within{.budget = {.trials = 70}, .effort = Effort::kQuick, .strategy = "genetic"};
  within.restriction.only = {KnobCondition::parse("factor > 1")};
  const SessionResult result = run_session(task, log_, within);
  EXPECT_EQ(result.stop_reason, "70 trials done");
  EXPECT_FALSE(result.all_failed);
}

TEST_F(FailingSessionTest, RecordsThatItSampledNothing) {
  const Task task = failing_task(true);
  tune(task, 1);
  const std::vector<SessionProposals> sessions = log_.proposals(task_key(task));
  ASSERT_EQ(sessions.size(), 1);
  EXPECT_NE(sessions[0].funnel, std::nullopt);
}

TEST_F(FailingSessionTest, RecordsWhatItSampled) {
  const Task task = failing_task(false);
  tune(task, 30, "random");
  const std::vector<SessionProposals> sessions = log_.proposals(task_key(task));
  ASSERT_EQ(sessions.size(), 1);
  ASSERT_TRUE(sessions[0].funnel);
  ASSERT_EQ(sessions[0].funnel->templates.size(), 1);
  const SearchFunnel::OfTemplate& of = sessions[0].funnel->templates[0];
  EXPECT_EQ(of.source, (TemplateVersion{"failing.cpu", 1}));
  EXPECT_EQ(of.points.sampled, sessions[0].proposed) << "a random search proposes each of its samples";
  EXPECT_EQ(of.points.ranked, 0);
  std::int64_t sampled = 0;
  for (const auto& [value, points] : of.values.at("factor")) sampled += points.sampled;
  EXPECT_EQ(sampled, of.points.sampled);
}

}  // namespace
}  // namespace nestwright
