#include "bench/gpu/check_rows.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace nestwright::bench {
namespace {

using ::testing::ElementsAre;

TrialRecord trial(const std::string& workload, const std::string& name, Outcome outcome, const std::string& message) {
  TrialRecord trial;
  trial.workload = workload;
  trial.point.template_name = name;
  trial.measurement.outcome = outcome;
  trial.measurement.message = message;
  return trial;
}

std::vector<std::string> verdicts(const std::vector<CheckRow>& rows) {
  std::vector<std::string> list;
  for (const CheckRow& row : rows) list.push_back(row.workload + ", " + row.template_name + ": " + row.verdict());
  return list;
}

const std::vector<TrialRecord> kTrials = {trial("a", "t", Outcome::kCompileError, "no code"),
                                          trial("a", "t", Outcome::kOk, ""),
                                          trial("a", "u", Outcome::kOk, ""),
                                          trial("a", "u", Outcome::kTimeout, "slow"),
                                          trial("a", "u", Outcome::kWrongResult, "element 3"),
                                          trial("a", "u", Outcome::kWrongResult, "element 4"),
                                          trial("b", "t", Outcome::kCompileError, "no code for b"),
                                          trial("b", "t", Outcome::kInvalidConfig, "too large"),
                                          trial("b", "u", Outcome::kLaunchError, "refused")};

TEST(CheckRows, EachTemplateOfAWorkloadHasItsVerdict) {
  const std::vector<std::string> workloads = {"a", "b", "c"};
  EXPECT_THAT(
      verdicts(check_rows(kTrials, workloads)),
      ElementsAre("a, t: right", "a, u: wrong result", "b, t: never compiled", "b, u: never ran", "c, : not checked"));
}

TEST(CheckRows, WhatIsNotRightIsTold) {
  const std::vector<std::string> workloads = {"c"};
  const std::vector<CheckRow> rows = check_rows(kTrials, workloads);
  EXPECT_EQ(to_text(rows),
            "check: u of a: wrong result (element 3)\n"
            "check: t of b: never compiled (no code for b)\n"
            "check: u of b: never ran (refused)\n"
            "check: c: not checked (the trials were over before it: give the check more of them)\n"
            "check: 1 of 5 workloads and templates gave right results\n");
  const nlohmann::json json = to_json(rows);
  EXPECT_EQ(json[1]["outcomes"]["wrong_result"], 2);
  EXPECT_EQ(json[1]["verdict"], "wrong result");
  EXPECT_EQ(json[2]["message"], "no code for b");
}

}  // namespace
}  // namespace nestwright::bench
