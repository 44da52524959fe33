// nestwright log shows and changes databases.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "nestwright/database.h"
#include "nestwright/target.h"
#include "tests/cli/command_test.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class LogTest : public CommandTest {
 protected:
  void SetUp() override {
    write("nestwright.db", matmul(512, 512, 512), {timed(30), timed(20), failed(Outcome::kCrash, "it crashed")}, 0);
    write("nestwright.db", matmul(64, 64, 64), {timed(5000)}, 0);
  }
  /// Records a session and a race of its first trial.
  void write(const std::string& file, const WorkloadKey& workload, const std::vector<Measurement>& measured,
             int first_point) {
    TuningLog log = TuningLog::open(folder_.file(file), OpenMode::kWrite);
    TaskKey task = task_of(workload);
    task.target = Target::parse(task.target).str();
    const SessionId session = log.begin_session(task, info());
    const Batch batch = log.commit_batch(session, 0, points(first_point, static_cast<int>(measured.size())));
    std::vector<TrialId> trials;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      trials.push_back(log.record(session, batch.ids[i], measured[i]));
    }
    Race race;
    race.entries = {{trials[0], "finalist", measured[0], false, {}}};
    if (const auto stored = log.stored_best(session)) {
      race.entries.push_back({stored->trial, "incumbent", timed(stored->timing.median_ns), false, {}});
    }
    race.winner = 0;
    log.record_race(session, race);
    log.end_session(session, SessionStatus::kDone, "all points were tried");
  }
  CommandOutput log(const std::string& text) { return run("log " + text); }
  json document(const std::string& text) {
    const CommandOutput ran = log(text + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json::parse(ran.out);
  }
};

TEST_F(LogTest, SessionsAreListed) {
  EXPECT_THAT(log("sessions").out, AllOf(HasSubstr("1 crash"), HasSubstr("done: all points were tried"),
                                         HasSubstr("matmul m=512 n=512 k=512 on cpu,isa=avx512")));
  const json sessions = document("sessions matmul m=512 n=512 k=512");
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(sessions[0]["trials"], 3);
  EXPECT_EQ(sessions[0]["not_timed"]["crash"], 1);
  EXPECT_EQ(sessions[0]["best"]["median_ns"], 20);
  EXPECT_EQ(sessions[0]["task"]["machine"], "made-up machine");
  EXPECT_EQ(document("sessions matmul").size(), 2u) << "an operator";
  EXPECT_EQ(document("sessions --limit 1")[0]["session"], 2);
  EXPECT_EQ(document("sessions --since 30d").size(), 2u);
  expect_refusal(log("sessions --since 2999-01-01"), 3, {"no session that matches"});
  EXPECT_THAT(log("sessions --limit 1").err, HasSubstr("the latest 1 of 2 sessions"));
  EXPECT_EQ(document("sessions --target cpu,isa=avx512,threads=2").size(), 2u);
  expect_refusal(log("sessions --target cuda,arch=sm_90"), 3, {"no session that matches"});
  expect_refusal(log("sessions matmull m=1"), 2, {"no operator 'matmull'"});
}

TEST_F(LogTest, TrialsAreListed) {
  const CommandOutput ran = log("trials matmul m=512 n=512 k=512 --sort time");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("task      matmul m=512"), HasSubstr("crash: it crashed"), HasSubstr("20 ns")));
  EXPECT_LT(ran.out.find("20 ns"), ran.out.find("30 ns"));
  EXPECT_EQ(document("trials").size(), 4u);
  EXPECT_EQ(document("trials --outcome crash").at(0)["message"], "it crashed");
  EXPECT_EQ(document("trials --session 2").at(0)["time_ns"]["median"], 5000);
  EXPECT_EQ(document("trials --config unroll_k=1").size(), 1u);
  EXPECT_EQ(document("trials --template matmul.cpu --since 1d").size(), 4u);
  EXPECT_THAT(log("trials --limit 2").err, HasSubstr("more trials match than the latest 2"));
  expect_refusal(log("trials --since yesterday"), 2, {"--since", "an age such as 2w, 30d"});
  expect_refusal(log("trials --outcome bad"), 2, {"--outcome", "wrong_result"});
  expect_refusal(log("trials --config unroll_k"), 2, {"--config: 'unroll_k' has no value"});
}

TEST_F(LogTest, TextsCannotControlTheTerminal) {
  WorkloadKey workload = matmul(8, 8, 8);
  workload.text = "gemm \x1b[2J";
  workload.source = "T4";
  write("nestwright.db", workload, {timed(1)}, 0);
  for (const char* command : {"sessions", "trials"}) {
    EXPECT_THAT(log(command).out, AllOf(HasSubstr("gemm \\x1b[2J"), HasSubstr("(T4)"), Not(HasSubstr("\x1b"))));
  }
}

TEST_F(LogTest, DatabasesAreComparedAndMerged) {
  std::filesystem::copy_file(folder_.file("nestwright.db"), folder_.file("b.db"));
  write("b.db", matmul(64, 64, 64), {timed(4000)}, 7);
  EXPECT_THAT(log("diff nestwright.db b.db").out,
              AllOf(HasSubstr("-20.0%, beyond both intervals"), HasSubstr("1 of 2 bests differ")));
  const json difference = document("diff nestwright.db b.db");
  EXPECT_EQ(difference["unchanged"], 1);
  EXPECT_EQ(difference["differences"][0]["ratio"], 0.8);
  EXPECT_EQ(difference["differences"][0]["beyond_intervals"], true);
  EXPECT_EQ(log("merge b.db --into nestwright.db").out,
            "from 'b.db': 0 tasks, 1 session, 1 trial and 1 race added, 0 trials replaced by better measurements\n");
  EXPECT_EQ(document("merge b.db --into nestwright.db")["merged"][0]["trials"], 0);
  EXPECT_EQ(document("merge nestwright.db b.db --into new.db")["merged"][0]["sessions"], 3);
  EXPECT_EQ(log("diff nestwright.db new.db").out, "0 of 2 bests differ\n");
  expect_refusal(log("merge b.db"), 2, {"--into is required"});
  expect_refusal(log("merge b.db --into b.db"), 5, {"cannot be merged into itself"});
  expect_refusal(log("diff b.db none.db"), 5, {"'none.db' does not exist"});
  for (const char* command : {"merge none.db --into new.db", "diff b.db none.db", "repair b.db --out none/new.db"}) {
    const CommandOutput refused = log(command);
    EXPECT_EQ(refused.code, 5);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("give another file"), Not(HasSubstr("--db")))) << command;
  }
}

TEST_F(LogTest, NothingIsDeletedUnasked) {
  expect_refusal(log("delete"), 2, {"nothing says what to delete"});
  expect_refusal(log("delete matmul m=64 n=64 k=64"), 2,
                 {"Delete 1 session with 1 trial and 1 race, and 1 task", "give --yes"});
  EXPECT_EQ(log("delete matmul m=64 n=64 k=64 --dry-run").out,
            "would delete 1 session with 1 trial and 1 race, and 1 task\n");
  expect_refusal(log("prune --keep 0"), 2, {"Delete the readings of 1 of 4 trials", "give --yes"});
  EXPECT_EQ(document("prune --keep 0 --dry-run")["emptied"], 1);
  EXPECT_EQ(document("sessions").size(), 2u);
}

TEST_F(LogTest, WhatIsToBeDeletedIsDeleted) {
  EXPECT_EQ(log("delete matmul m=64 n=64 k=64 --yes").out, "deleted 1 session with 1 trial and 1 race, and 1 task\n");
  expect_refusal(log("delete matmul m=64 n=64 k=64 --yes"), 3, {"no session that matches"});
  expect_refusal(log("delete --older-than 1d --yes"), 3, {"no session that matches"});
  EXPECT_EQ(document("prune --keep 0 --yes")["emptied"], 1);
  EXPECT_EQ(document("delete --session 1 --yes")["trials"], 3);
  expect_refusal(log("sessions"), 3, {"no session that matches"});
}

TEST_F(LogTest, DamageIsFoundAndRepaired) {
  EXPECT_EQ(log("check").out, "database 'nestwright.db' is sound\n");
  EXPECT_EQ(document("check")["sound"], true);
  expect_refusal(log("check matmul"), 2, {"nestwright log check --help"});
  std::fstream file(folder_.file("nestwright.db"), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(folder_.file("nestwright.db"))) - 4096 * 4);
  file << std::string(4096 * 4, 'x');
  file.close();
  expect_refusal(log("check"), 5, {"database 'nestwright.db' is damaged", "nestwright log repair"});
  const json repaired = document("repair nestwright.db");
  EXPECT_EQ(repaired["out"], "nestwright.db.repaired");
  EXPECT_EQ(log("check --db nestwright.db.repaired").code, 0);
  expect_refusal(log("repair nestwright.db"), 5, {"exists: name another one"});
  EXPECT_THAT(log("repair nestwright.db --out other.db").out, HasSubstr("rows kept"));
  expect_refusal(log("repair"), 2, {"database is required"});
}

}  // namespace
}  // namespace nestwright
