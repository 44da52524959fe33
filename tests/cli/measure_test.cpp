// measure: one configuration beside the best known one, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command_test.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class MeasureTest : public CommandTest {
 protected:
  /// Words are separated by blanks, so a configuration of several knobs is given by itself.
  CommandOutput measure(const std::string& config, const std::string& more = "") {
    return run_nestwright(
        words("measure matmul m=32 n=32 k=32 --threads 1 " + more) + std::vector<std::string>{"--config", config},
        {.folder = folder_.path()});
  }
};

TEST_F(MeasureTest, TimesACompletedConfigurationBesideTheDefault) {
  const CommandOutput ran = measure("unroll_k=2 register_rows=2", "--json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["workload"], "matmul m=32 n=32 k=32");
  EXPECT_EQ(report["match"], "given");
  EXPECT_EQ(report["template"], "matmul.cpu");
  EXPECT_THAT(report["config_text"].get<std::string>(), HasSubstr("register_rows=2"));
  EXPECT_THAT(report["config_text"].get<std::string>(), HasSubstr("unroll_k=2"));
  EXPECT_THAT(report["config_text"].get<std::string>(), HasSubstr("pack_b="));
  EXPECT_EQ(report["outcome"], "ok");
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["beside"]["match"], "default");
  EXPECT_EQ(report["beside"]["outcome"], "ok");
}

TEST_F(MeasureTest, BesideTheRecordedBestAndRecordsNothing) {
  {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    Task task{parse_workload("matmul m=32 n=32 k=32"), Target::host()};
    task.target.threads = 1;
    record_default(log, task, 1000);
  }
  const CommandOutput ran = measure("unroll_k=2 register_rows=2", "--json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["match"], "given");
  EXPECT_EQ(report["beside"]["match"], "exact");
  EXPECT_EQ(report["beside"]["outcome"], "ok");
  EXPECT_THAT(ran.err, HasSubstr("measuring matmul m=32 n=32 k=32 beside the best known configuration\n"));
  const TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kRead);
  EXPECT_EQ(log.trials({}).size(), 1u) << "the one that was recorded before";
}

TEST_F(MeasureTest, WithColdCachesItTakesLonger) {
  const auto median = [&](const std::string& caches) {
    const CommandOutput ran = measure("unroll_k=2 register_rows=2", "--json --caches " + caches);
    EXPECT_EQ(ran.code, 0) << ran.err;
    const json report = json::parse(ran.out);
    EXPECT_EQ(report["caches"], caches);
    EXPECT_EQ(report["outcome"], "ok");
    return report["time_ns"]["median"].get<double>();
  };
  EXPECT_GT(median("cold"), 1.2 * median("warm"));
  EXPECT_GT(median("stream"), 0);
}

TEST_F(MeasureTest, BesideAHintItSaysWhy) {
  {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    Task task{parse_workload("matmul m=32 n=32 k=32"), Target::host()};
    task.target.threads = 1;
    RecordProvenance made_by = current_provenance(nullptr);
    made_by.plugins = {"rows 1.0 0123456789abcdef"};
    record_default(log, task, 1000, made_by);
  }
  const std::string reason = "the plugin rows was 1.0 0123456789abcdef, and is not loaded";
  const CommandOutput ran = measure("unroll_k=2 register_rows=2");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("measuring matmul m=32 n=32 k=32 beside the best known configuration, a hint until it "
                                 "is tuned again (" +
                                 reason + ")\n"));
  EXPECT_THAT(ran.out, HasSubstr("beside    exact, a hint until it is tuned again (" + reason + ")\n"));
  const json report = json::parse(measure("unroll_k=2 register_rows=2", "--json").out);
  EXPECT_EQ(report["hint"], nullptr) << "of the given configuration";
  EXPECT_EQ(report["beside"]["hint"], reason);
}

TEST_F(MeasureTest, AConfigurationOfAnExpression) {
  const CommandOutput ran = run_nestwright(
      words("measure i=32 j=32 k=32 --threads 1 --json") +
          std::vector<std::string>{"--expr", "Y[i, j] = sum(k, A[i, k] * B[k, j])", "--config", "unroll_k=2"},
      {.folder = folder_.path()});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["match"], "given");
  EXPECT_THAT(report["config_text"].get<std::string>(), HasSubstr("unroll_k=2"));
  EXPECT_EQ(report["outcome"], "ok");
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["beside"]["match"], "default");
}

TEST_F(MeasureTest, RefusesWhatIsNoConfiguration) {
  expect_refusal(measure("unroll_j=2"), 2, {"there is no knob 'unroll_j'; did you mean 'unroll_k'; the knobs are "});
  expect_refusal(measure("unroll_k=77"), 2,
                 {"unroll_k=77 is not a candidate of the knob 'unroll_k'; its candidates are "});
  expect_refusal(measure("unroll_k"), 2, {"configuration part 'unroll_k' is malformed: write it as knob=value"});
  expect_refusal(measure("unroll_k=2 unroll_k=4"), 2, {"knob 'unroll_k' is given twice"});
  expect_refusal(measure("unroll_k=2", "--template nowhere"), 2, {"there is no template 'nowhere' of matmul"});
  expect_refusal(measure("unroll_k=2", "--db missing.db"), 5, {"missing.db"});
  expect_refusal(run("measure matmul m=32 n=32 k=32"), 2, {"--config is required"});
}

// Both are refused before the machine is asked whether it can run the code.

TEST_F(MeasureTest, AViolatedConstraintIsNamedWithItsReason) {
  expect_refusal(
      measure("register_rows=24 register_vectors=2", "--target cpu,isa=avx512"), 2,
      {"the configuration is not valid for matmul m=32 n=32 k=32: ", "register_rows=24", "register_vectors=2", ": "});
}

TEST_F(MeasureTest, ChoicesThatExcludeEachOther) {
  expect_refusal(run_nestwright(words("measure matmul m=32 n=32 k=2048 --target cpu,isa=avx512,threads=1 --config") +
                                std::vector<std::string>{"reduction=full blocks_k=4"}),
                 2, {"template matmul.cpu has no configuration with reduction=full blocks_k=4 together"});
}

}  // namespace
}  // namespace nestwright
