// query over a database whose content is known: how it matched, listings and their filters, exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class QueryTest : public testing::Test {
 protected:
  void SetUp() override {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    record("matmul m=64 n=64 k=64", "cpu,isa=x86-64", 20'000, log);
    record("matmul m=64 n=64 k=64", "cpu,isa=x86-64,threads=2", 12'000, log);
    record("matmul m=64 n=64 k=64 dtype=float64", "cpu,isa=x86-64", 40'000, log);
    record("matmul m=256 n=256 k=256", "cpu,isa=x86-64", 900'000, log);
  }

  static void record(const std::string& workload, const std::string& target, double median_ns, TuningLog& log) {
    record_default(log, {parse_workload(workload), Target::parse(target)}, median_ns);
  }

  Ran query(const std::string& text) { return run_nestwright(words("query " + text), {.folder = folder_.path()}); }
  json document(const std::string& text) {
    const Ran ran = query(text + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json::parse(ran.out);
  }

  const TemporaryFolder folder_;
};

TEST_F(QueryTest, Exact) {
  const json found = document("matmul m=64 n=64 k=64 --target cpu,isa=x86-64 --exact");
  EXPECT_EQ(found["match"], "exact");
  EXPECT_EQ(found["workload"], "matmul m=64 n=64 k=64");
  EXPECT_EQ(found["template"], "matmul.cpu");
  EXPECT_EQ(found["time_ns"], (json{{"median", 20'000.0}, {"low", 19'800.0}, {"high", 20'200.0}}));
  EXPECT_DOUBLE_EQ(found["gflops"].get<double>(), 2.0 * 64 * 64 * 64 / 20'000);
  EXPECT_EQ(found["verified"], true);
  EXPECT_EQ(found["trials"], 1);
  EXPECT_FALSE(found.contains("recorded_for"));
  EXPECT_TRUE(found["config"].is_object());
}

TEST_F(QueryTest, NearestSaysWhatItWasRecordedFor) {
  const json found = document("matmul m=128 n=64 k=64 --target cpu,isa=x86-64");
  EXPECT_EQ(found["match"], "nearest");
  EXPECT_EQ(found["workload"], "matmul m=128 n=64 k=64");
  EXPECT_EQ(found["recorded_for"], "matmul m=64 n=64 k=64");
  const Ran text = query("matmul m=128 n=64 k=64 --target cpu,isa=x86-64");
  EXPECT_THAT(text.out, HasSubstr("nearest: recorded for matmul m=64 n=64 k=64"));
  EXPECT_THAT(text.out, HasSubstr("for the recorded shape"));
}

TEST_F(QueryTest, DefaultWhereNothingFits) {
  const json found = document("matmul m=64 n=64 k=64 ta=1 --target cpu,isa=x86-64");
  EXPECT_EQ(found["match"], "default");
  EXPECT_TRUE(found["time_ns"].is_null());
  EXPECT_EQ(found["verified"], false);
  EXPECT_EQ(found["trials"], 0);
  EXPECT_GT(found["config"].size(), 5u);
}

TEST_F(QueryTest, ExactOrThree) {
  const Ran near = query("matmul m=128 n=64 k=64 --target cpu,isa=x86-64 --exact");
  expect_refusal(near, 3, {"nothing is recorded for matmul m=128", "run nestwright tune, or drop --exact"});
  const Ran near_json = query("matmul m=128 n=64 k=64 --target cpu,isa=x86-64 --exact --json");
  expect_refusal(near_json, 3, {"nothing is recorded"});
}

TEST_F(QueryTest, NothingAtAllForTheOperator) {
  const std::string empty = folder_.file("empty.db");
  TuningLog::open(empty, OpenMode::kWrite);
  for (const std::string more : {"", " --json", " --exact", " --top 3"}) {
    expect_refusal(query("matmul m=64 n=64 k=64 --db " + empty + more), 3, {"nothing", "run nestwright tune"});
  }
  expect_refusal(query("--db " + empty), 3, {"nothing that matches is recorded in", "run nestwright tune first"});
}

TEST_F(QueryTest, ListsAndFilters) {
  EXPECT_EQ(document("").size(), 4u);
  EXPECT_EQ(document("--op matmul").size(), 4u);
  EXPECT_EQ(document("--dtype float64").size(), 1u);
  EXPECT_EQ(document("--threads 2").size(), 1u);
  EXPECT_EQ(document("--threads 2")[0]["time_ns"]["median"], 12'000.0);
  EXPECT_EQ(document("--target cpu,isa=x86-64").size(), 3u);
  EXPECT_EQ(document("--target cpu,isa=x86-64 --dtype float32").size(), 2u);
  expect_refusal(query("--threads 7"), 3, {"nothing that matches"});
}

TEST_F(QueryTest, AListingIsOneLineATask) {
  const Ran ran = query("");
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4);
  EXPECT_THAT(ran.out, HasSubstr("matmul m=256 n=256 k=256"));
  EXPECT_THAT(ran.out, HasSubstr("900 us"));
}

TEST_F(QueryTest, TopIsAListWhateverItsNumber) {
  for (const std::string number : {"1", "5"}) {
    const json found = document("matmul m=64 n=64 k=64 --target cpu,isa=x86-64 --top " + number);
    ASSERT_TRUE(found.is_array());
    EXPECT_EQ(found.size(), 1u) << "one trial was recorded";
    EXPECT_EQ(found[0]["time_ns"]["median"], 20'000.0);
  }
  EXPECT_EQ(document("--top 3").size(), 4u);
  expect_refusal(query("matmul m=65 n=64 k=64 --target cpu,isa=x86-64 --top 2"), 3, {"nothing is recorded for"});
}

TEST_F(QueryTest, LowerTakesTheBestKnown) {
  const CommandOptions here{.folder = folder_.path()};
  const Ran exact = run_nestwright(words("lower matmul m=64 n=64 k=64 --target cpu,isa=x86-64"), here);
  EXPECT_EQ(exact.code, 0) << exact.err;
  EXPECT_THAT(exact.err, HasSubstr("match     exact"));
  EXPECT_THAT(exact.out, HasSubstr("program matmul(A: float32[64, 64], B: float32[64, 64]) -> (C: float32[64, 64])"));
  const Ran none = run_nestwright(words("lower matmul m=64 n=64 k=64 ta=1 --target cpu,isa=x86-64"), here);
  EXPECT_THAT(none.err, HasSubstr("match     default"));
}

}  // namespace
}  // namespace nestwright
