// log export and log import.

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/command_test.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LogExchangeTest : public CommandTest {
 protected:
  void SetUp() override {
    TuningLog log = TuningLog::open(folder_.file("own.db"), OpenMode::kWrite);
    const SessionId session = log.begin_session(task_of(matmul(64, 64, 64)), info());
    const Batch batch = log.commit_batch(session, 0, points(0, 2));
    for (const ProposalId id : batch.ids) log.record(session, id, timed(2e6));
    log.end_session(session, SessionStatus::kDone, "");
  }
  static std::string recorded(const std::string& name) { return std::string(EXCHANGE_DATA) + "/" + name; }
  std::string contents(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder_.file(name)).rdbuf();
    return text.str();
  }
};

TEST_F(LogExchangeTest, RecordsGoToAnotherDatabase) {
  const CommandOutput out = run("log export matmul m=64 n=64 k=64 --db own.db --out records.jsonl");
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out, "wrote 2 trials of 1 task to 'records.jsonl'\n");
  const CommandOutput in = run("log import records.jsonl --db copy.db --json");
  EXPECT_EQ(in.code, 0) << in.err;
  EXPECT_EQ(json::parse(in.out), json::parse(R"({"file": "records.jsonl", "format": "jsonl", "workload": null,
                                                 "sessions": 1, "trials": 2, "replaced": 0, "known": 0})"));
  EXPECT_EQ(run("log import records.jsonl --db copy.db").out,
            "added 0 trials (format jsonl) to 'copy.db'; 2 were there already\n");
  EXPECT_EQ(run("log export --db copy.db --out again.jsonl").code, 0);
  EXPECT_EQ(contents("again.jsonl"), contents("records.jsonl"));
  EXPECT_EQ(run("query --db copy.db --json").out, run("query --db own.db --json").out);
}

TEST_F(LogExchangeTest, RecordsOfAnotherTunerAreShownAndNeverAnAnswer) {
  const CommandOutput in = run("log import " + recorded("scale_cache.json") + " --db foreign.db --device A100");
  EXPECT_EQ(in.code, 0) << in.err;
  EXPECT_EQ(in.out, "added 5 trials of kernel_tuner:scale problem_size=100000 (format kernel-tuner) to 'foreign.db'\n");
  EXPECT_THAT(run("log sessions --db foreign.db").out, HasSubstr("foreign,device=A100"));
  EXPECT_EQ(run("query --db foreign.db").code, 3);
  EXPECT_EQ(run("query matmul m=64 n=64 k=64 --target cpu,isa=avx2,threads=1 --exact --db foreign.db").code, 3);
  const CommandOutput out =
      run("log export kernel_tuner:scale problem_size=100000 --db foreign.db --format t4 --out a.json --json");
  EXPECT_EQ(json::parse(out.out)["trials"], 5);
  EXPECT_EQ(json::parse(contents("a.json"))["results"].size(), 5u);
}

TEST_F(LogExchangeTest, RecordsGoToStandardOutput) {
  const CommandOutput lines = run("log export --db own.db --out -");
  EXPECT_EQ(lines.code, 0);
  EXPECT_EQ(run("log export --db own.db --out own.jsonl").code, 0);
  EXPECT_EQ(lines.out, contents("own.jsonl"));
  expect_refusal(run("log export --db own.db --out - --json"), 2, {"leave out one"});
}

TEST_F(LogExchangeTest, WrongUseIsRefused) {
  expect_refusal(run("log export --db own.db"), 2, {"--out"});
  expect_refusal(run("log export --db own.db --out a.csv --format csv"), 2, {"csv"});
  expect_refusal(run("log export --db own.db --out none/a.jsonl"), 2, {"file 'none/a.jsonl' cannot be written"});
  expect_refusal(run("log export --db own.db --out own.db"), 2, {"file 'own.db' is a database and was left as it is"});
  EXPECT_EQ(run("query --db own.db").code, 0);
  expect_refusal(run("log export --db none.db --out a.jsonl"), 5, {"none.db"});
  expect_refusal(run("log export softmax --db own.db --out a.jsonl"), 3, {"no task that matches"});
  EXPECT_THAT(contents("a.jsonl"), IsEmpty());
  expect_refusal(run("log import none.json --db new.db"), 2, {"file 'none.json' cannot be read"});
  expect_refusal(run("log import own.db --db new.db"), 2, {"the format of file 'own.db' is not recognised"});
  expect_refusal(run("log import " + recorded("scale_T4.json") + " --format jsonl --db new.db"), 2, {"line 1 of file"});
  expect_refusal(run("log import " + recorded("scale_T4.json") + " --format kernel-tuner --db new.db"), 2,
                 {"has no entry in 'cache'"});
}

}  // namespace
}  // namespace nestwright
