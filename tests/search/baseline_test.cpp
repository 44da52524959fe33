// Baselines: the figures that are taken from a document, how they are matched with stored bests, and refusals.
#include "search/revalidation/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

std::string time_text(double median) {
  return "{\"time_ns\": {\"median\": " + std::to_string(median) + ", \"low\": 1, \"high\": 9000}, \"fma_ns\": 15000, " +
         "\"walk_ns\": 0, \"recorded_at\": \"2026-11-30T00:00:00Z\"}";
}

std::string task(const std::string& workload, const std::string& verdict, const std::string& was,
                 const std::string& now, bool was_comparable = true) {
  return "{\"workload\": \"" + workload + "\", \"target\": \"cpu,isa=x86-64,threads=1\", \"caches\": \"warm\", " +
         "\"machine\": \"here\", \"verdict\": \"" + verdict + "\", \"was\": " + was +
         ", \"was_comparable\": " + (was_comparable ? "true" : "false") + ", \"now\": " + now + "}";
}

std::string document(const std::string& tasks) {
  return "{\"format\": \"nestwright revalidation 1\", \"tasks\": [" + tasks + "]}";
}

std::string refusal(const std::string& text) {
  try {
    parse_baseline(text, "old.json");
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no refusal";
}

TEST(Baseline, HasTheTimesThatWereDecided) {
  for (const std::string verdict : {"as_before", "faster", "slower", "new"}) {
    const auto baseline = parse_baseline(document(task("matmul", verdict, time_text(20), time_text(30))), "old.json");
    ASSERT_EQ(baseline.size(), 1U);
    EXPECT_EQ(baseline[0].workload, "matmul");
    EXPECT_EQ(baseline[0].target, "cpu,isa=x86-64,threads=1");
    ASSERT_TRUE(baseline[0].figure.has_value());
    EXPECT_EQ(baseline[0].figure->median_ns, 30) << verdict;
    EXPECT_EQ(baseline[0].figure->fma_ns, 15'000);
  }
  for (const std::string verdict : {"undecided", "wrong", "fails", "skipped", "not_reached"}) {
    const auto baseline = parse_baseline(document(task("matmul", verdict, time_text(20), time_text(30))), "old.json");
    EXPECT_EQ(baseline.at(0).figure->median_ns, 20) << verdict;
  }
  EXPECT_FALSE(parse_baseline(document(task("matmul", "wrong", "null", "null")), "old.json").at(0).figure.has_value());
}

TEST(Baseline, AStoredTimeThatWasNotComparableIsNone) {
  const auto figure = [](const std::string& verdict) {
    return parse_baseline(document(task("matmul", verdict, time_text(20), time_text(30), false)), "old.json")
        .at(0)
        .figure;
  };
  EXPECT_FALSE(figure("undecided").has_value());
  EXPECT_FALSE(figure("not_reached").has_value());
  EXPECT_EQ(figure("new").value().median_ns, 30);
}

TEST(Baseline, WhatIsNoneIsRefusedInOneSentence) {
  EXPECT_EQ(refusal("not JSON"),
            "baseline 'old.json' is not JSON: write one with nestwright revalidate --all --json > FILE");
  EXPECT_EQ(
      refusal("[]"),
      "baseline 'old.json' is not what revalidate --json prints (it has no \"format\"): write one with nestwright "
      "revalidate --all --json > FILE");
  EXPECT_THAT(refusal("{\"format\": \"something else\", \"tasks\": []}"),
              HasSubstr("its \"format\" is not \"nestwright revalidation 1\""));
  EXPECT_THAT(refusal("{\"format\": \"nestwright revalidation 1\"}"), HasSubstr("it has no \"tasks\""));
  EXPECT_THAT(refusal("{\"format\": \"nestwright revalidation 1\", \"tasks\": 3}"),
              HasSubstr("\"tasks\" is not a list"));
  EXPECT_THAT(refusal(document("{}")), HasSubstr("task 1 of baseline 'old.json' is not what revalidate --json prints"));
  const std::string good = task("matmul", "faster", time_text(20), time_text(30));
  EXPECT_THAT(refusal(document(good + ", 7")), HasSubstr("task 2 of baseline"));
  EXPECT_THAT(refusal(document(task("matmul", "faster", time_text(20), "{}"))), HasSubstr("it has no \"time_ns\""));
  EXPECT_THAT(refusal(document(task("matmul", "faster", time_text(20), time_text(-1)))),
              HasSubstr("\"median\" is below 0"));
  EXPECT_THAT(refusal(document(task("matmul", "faster", time_text(20), time_text(0)))),
              HasSubstr("the times of \"now\" are not 0 < low <= median <= high"));
  EXPECT_THAT(refusal(document("{\"workload\": 3}")), HasSubstr("\"workload\" is not text"));
}

class AppliedBaseline : public ::testing::Test {
 protected:
  /// A stored best of this machine, with a stored time of 100 ns on a disturbed machine.
  static StoredBest stored(const std::string& workload) {
    StoredBest best;
    best.context.emplace(Task{parse_workload(workload), Target::parse("cpu,isa=x86-64")});
    best.record.task = best.context->key();
    best.was = KernelFigure{.median_ns = 100};
    best.why_not_compared = "its stored time was taken on a disturbed machine";
    return best;
  }
  static BaselineTask written(const StoredBest& best, double ns) {
    return {best.record.task.workload.text, best.target(), best.record.task.cache, best.record.task.machine,
            KernelFigure{.median_ns = ns}};
  }
};

TEST_F(AppliedBaseline, TakesThePlaceOfStoredTimes) {
  std::vector<StoredBest> bests{stored("matmul m=8 n=8 k=8"), stored("matmul m=16 n=8 k=8")};
  const BaselineTask first = written(bests[0], 50);
  BaselineTask other = first;
  other.workload = "matmul m=99 n=8 k=8";
  EXPECT_THAT(apply_baseline({first, other}, bests), ElementsAre(Field(&BaselineTask::workload, other.workload)));
  EXPECT_EQ(bests[0].was->median_ns, 50);
  EXPECT_EQ(bests[0].why_not_compared, "");
  EXPECT_FALSE(bests[1].was.has_value()) << "the baseline does not have it";
}

TEST_F(AppliedBaseline, OfAnotherMachineIsNotCompared) {
  std::vector<StoredBest> bests{stored("matmul m=8 n=8 k=8")};
  BaselineTask elsewhere = written(bests[0], 50);
  elsewhere.machine = "another machine";
  EXPECT_THAT(apply_baseline({elsewhere}, bests), ElementsAre());
  EXPECT_EQ(bests[0].why_not_compared, "the baseline is of another machine");
}

TEST_F(AppliedBaseline, OfSeveralMachinesThisOneIsPreferred) {
  std::vector<StoredBest> bests{stored("matmul m=8 n=8 k=8")};
  BaselineTask elsewhere = written(bests[0], 50);
  elsewhere.machine = "another machine";
  EXPECT_THAT(apply_baseline({elsewhere, written(bests[0], 70)}, bests), ElementsAre());
  EXPECT_EQ(bests[0].was->median_ns, 70);
  EXPECT_EQ(bests[0].why_not_compared, "");
}

TEST_F(AppliedBaseline, OtherCachesAndTargetsAreOtherTasks) {
  std::vector<StoredBest> bests{stored("matmul m=8 n=8 k=8")};
  BaselineTask cold = written(bests[0], 50), wide = cold;
  cold.caches = "cold";
  wide.target = "cpu,isa=avx2,threads=1";
  EXPECT_EQ(apply_baseline({cold, wide}, bests).size(), 2U);
  EXPECT_FALSE(bests[0].was.has_value());
}

}  // namespace
}  // namespace nestwright
