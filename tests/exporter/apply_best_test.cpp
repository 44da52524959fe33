// Look up, compile and call in one process.
#include "nestwright/export.h"

#include <gmock/gmock.h>

#include "export_fixture.h"
#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "target/description/host.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

/// Calls the kernel on the operator's shapes and compares the result with the operator's reference.
void expect_right(const Workload& workload, const AppliedKernel& applied) {
  const Operator& op = *workload.op;
  const Definition definition = op.define(workload);
  HostTensors inputs(2);
  std::vector<std::vector<float>> tensors;
  for (std::size_t i = 0; i < 3; ++i) {
    tensors.emplace_back(definition.args[i].buffer()->elements(), -99.0F);
    if (i == 2) break;
    for (std::size_t e = 0; e < tensors[i].size(); ++e) {
      tensors[i][e] = static_cast<float>((e * 37 + i * 11) % 64) / 32.0F - 1.0F;
      inputs[i].push_back(tensors[i][e]);
    }
  }
  const auto view = [&](std::size_t i) {
    return ArrayView(tensors[i].data(), kFloat32, ir::constants_of(definition.args[i].shape()));
  };
  applied.function(view(0), view(1), view(2));
  const Reference reference = op.reference(workload, inputs);
  for (std::size_t e = 0; e < tensors[2].size(); ++e) {
    ASSERT_NEAR(tensors[2][e], reference.expected[0][e], reference.bound[0][e]) << e;
  }
}

class ApplyBest : public ExportTest {
 protected:
  /// Records one confirmed trial of this configuration for this task.
  void record(const Task& task, const Template& source, const Config& config) {
    TuningLog log = TuningLog::open(file("t.db"), OpenMode::kWrite);
    const SessionId session = log.begin_session(task_key(task), {.strategy = "grid", .cost_model = "none"});
    const Batch batch = log.commit_batch(session, 0, {{source.name, source.version, config}});
    Measurement measured;
    measured.timing.median_ns = 1000;
    measured.timing.low_ns = 990;
    measured.timing.high_ns = 1010;
    measured.evidence.verified = true;
    log.set_incumbent(session, log.record(session, batch.ids.at(0), measured));
    log.end_session(session, SessionStatus::kDone, "the test is done");
  }
};

TEST_F(ApplyBest, WithoutADatabaseTheDefault) {
  const Workload workload = parse_workload("matmul m=33 n=47 k=21");
  for (int threads : {1, 2}) {
    const AppliedKernel applied = apply_best(workload, host_with(threads), "");
    EXPECT_EQ(applied.found.match, MatchKind::kDefault);
    expect_right(workload, applied);
  }
}

TEST_F(ApplyBest, TheRecordedOneAndTheNearest) {
  const Task task{parse_workload("matmul m=64 n=96 k=32 tb=1"), host_with(1)};
  const Template& source = *builtin_registry().find_template("matmul.cpu");
  const std::vector<Config> seeds = source.seeds(task.workload, task.target);
  ASSERT_GE(seeds.size(), 2U);
  record(task, source, seeds.back());

  const AppliedKernel exact = apply_best(task.workload, task.target, file("t.db"));
  EXPECT_EQ(exact.found.match, MatchKind::kExact);
  EXPECT_EQ(exact.found.config.str(), seeds.back().str());
  EXPECT_NE(exact.found.config.str(), seeds.front().str());
  expect_right(task.workload, exact);

  const Workload other = parse_workload("matmul m=64 n=64 k=64 tb=1");
  const AppliedKernel near = apply_best(other, task.target, file("t.db"));
  EXPECT_NE(near.found.match, MatchKind::kExact);
  expect_right(other, near);

  const Workload unlike = parse_workload("matmul m=64 n=64 k=64 ta=1");
  const AppliedKernel none = apply_best(unlike, task.target, file("t.db"));
  EXPECT_EQ(none.found.match, MatchKind::kDefault);
  expect_right(unlike, none);
}

TEST_F(ApplyBest, EachStateOfTheCachesHasItsOwn) {
  Task task{parse_workload("matmul m=64 n=96 k=32 tb=1"), host_with(1)};
  const Template& source = *builtin_registry().find_template("matmul.cpu");
  const std::vector<Config> seeds = source.seeds(task.workload, task.target);
  record(task, source, seeds.front());
  task.caches = CacheState::kCold;
  record(task, source, seeds.back());
  const auto config_for = [&](CacheState caches) {
    const AppliedKernel applied = apply_best(task.workload, task.target, file("t.db"), {}, caches);
    EXPECT_EQ(applied.found.match, MatchKind::kExact);
    return applied.found.config.str();
  };
  EXPECT_EQ(config_for(CacheState::kWarm), seeds.front().str());
  EXPECT_EQ(config_for(CacheState::kCold), seeds.back().str());
}

TEST_F(ApplyBest, RefusesWhatThisMachineCannotRunAndDatabasesThatAreNotThere) {
  const Workload workload = parse_workload("matmul m=8 n=8 k=8");
  EXPECT_THROW(apply_best(workload, host_with(1), file("none.db")), LogError);
  if (host_isa() == CpuIsa::kAvx512) return;
  Target wider = Target::parse("cpu,isa=avx512,threads=1");
  EXPECT_THROW(apply_best(workload, wider, ""), UsageError);
}

}  // namespace
}  // namespace nestwright
