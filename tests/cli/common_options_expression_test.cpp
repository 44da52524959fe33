// Expressions on the command line: every command takes them, and says where one is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "nestwright/text_operator.h"
#include "tests/cli/command_line.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* kRowSums = "S[i] = sum(j, X[i, j])";
constexpr const char* kCanonical = "S[i0]=sum(i1,X[i0,i1])";

class ExpressionTest : public ::testing::Test {
 protected:
  CommandOutput run(std::vector<std::string> arguments) {
    return run_nestwright(arguments, {.folder = folder_.path()});
  }
  void record(const std::string& text, double median_ns) {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    record_default(log, {workload_of(text), Target::parse("cpu,isa=x86-64")}, median_ns);
  }

  const TemporaryFolder folder_;
};

// What each command adds to a workload to do something.
const std::vector<std::vector<std::string>> kCommands = {
    {"tune", "--trials", "1"},     {"query"}, {"export", "--out", "out"}, {"lower"}, {"space"},
    {"measure", "--config", "x=1"}};

TEST_F(ExpressionTest, EveryCommandPointsAtTheCharacterThatIsWrong) {
  for (const std::vector<std::string>& command : kCommands) {
    const CommandOutput ran = run(command + std::vector<std::string>{"--expr", "S[i] = sum(j, X[i, j]]) i=4 j=5"});
    EXPECT_EQ(ran.code, 2) << command.front();
    EXPECT_EQ(ran.out, "") << command.front();
    EXPECT_EQ(ran.err,
              "nestwright: expression, column 22: expected an operator or ')', got ']'\n"
              "  S[i] = sum(j, X[i, j]]) i=4 j=5\n"
              "                       ^\n")
        << command.front();
  }
}

TEST_F(ExpressionTest, SizesMayFollowAsWords) {
  const CommandOutput ran = run({"lower", "--expr", kRowSums, "i=4", "j=0"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("column 30: an extent is an integer from 1 to "));
  EXPECT_EQ(run({"lower", "--expr", kRowSums, "i=4", "j=5"}).code, 0);
  expect_refusal(run({"lower", "--expr", ""}), 2, {"--expr"});
}

TEST_F(ExpressionTest, AWorkloadWithBracketsIsAnExpression) {
  const CommandOutput ran = run({"lower", kRowSums, "i=4", "j=5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, run({"lower", "--expr", kRowSums, "i=4", "j=5"}).out);
  const CommandOutput refused = run({"lower", "S[i] = sum(j, X[i, j]])", "i=4", "j=5"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("expression, column 22: expected an operator or ')', got ']'"));
}

TEST_F(ExpressionTest, ResultsThatAreNotNumbersAreRefused) {
  const std::string text = "Y[i] = log(X[i] - 2) i=5";
  expect_failure(run({"tune", "--trials", "1", "--expr", text}), 2, {"'Y' is not a number in 5 of 5 elements"});
  expect_refusal(run({"export", "--out", "out", "--expr", text}), 2, {"'Y' is not a number in 5 of 5 elements"});
}

TEST_F(ExpressionTest, AnEntryOfAFileIsNamed) {
  std::ofstream(folder_.file("tasks.json")) << R"([{"workload": "S[i] = sum(j, X[i, j) i=4 j=5"}])";
  expect_refusal(run({"tune", "--file", "tasks.json"}), 2, {"entry 1", "column 21: expected"});
}

TEST_F(ExpressionTest, TheProposedCommandCanBePasted) {
  record("C[i] = A[i] + 1 i=9", 1000);
  const CommandOutput ran = run({"query", "--expr", kRowSums, "i=4", "j=5"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, EndsWith(std::string(": run nestwright tune --expr '") + kCanonical + "' i0=4 i1=5\n"));
  record(std::string(kRowSums) + " i=400 j=500", 1000);
  const CommandOutput other = run({"query", "--expr", "C[i] = A[i] + 1 i=9", "--target", "cpu,isa=avx2"});
  EXPECT_EQ(other.code, 0);
  EXPECT_THAT(other.out,
              HasSubstr("not measured: run nestwright tune --expr 'C[i0]=A[i0]+1' i0=9 --target cpu,isa=avx2,"));
}

TEST_F(ExpressionTest, AListingHasTheWorkOfATextsOwnOperator) {
  record(std::string(kRowSums) + " i=1000 j=500", 100'000);
  const CommandOutput text = run({"query"});
  EXPECT_THAT(text.out, HasSubstr(std::string(kCanonical) + " i0=1000 i1=500"));
  EXPECT_THAT(text.out, HasSubstr("20.0 GB/s"));
  const json listed = json::parse(run({"query", "--json"}).out);
  EXPECT_NEAR(listed[0]["gb_s"].get<double>(), 20.04, 0.01);
  EXPECT_EQ(listed[0]["bound_by"], "memory");
}

TEST_F(ExpressionTest, DevicesHaveASpaceOfTheText) {
  const CommandOutput ran = run({"lower", "--expr", kRowSums, "i=4", "j=5", "--target", "cuda,arch=sm_90"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("threadIdx.x"));
}

}  // namespace
}  // namespace nestwright
