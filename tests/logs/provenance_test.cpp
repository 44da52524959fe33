// Records contain the provenance of their kernels.
#include <gtest/gtest.h>

#include "nestwright/database.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

TEST(RecordProvenance, IsToldOfTrialsUnitsAndBests) {
  const TemporaryFolder folder;
  TuningLog log = TuningLog::open(folder.file("log.db"), OpenMode::kWrite);
  const TaskKey task = task_of(matmul(512, 512, 512));
  SessionInfo made = info();
  made.made_by = {"0123456789abcdef", "Linux 6.1.0", "0x2b", "madvise", {"rows 1.0 0123456789abcdef"}};
  const SessionId session = log.begin_session(task, made);
  const TrialId trial = log.record(session, log.commit_batch(session, 0, points(0, 1)).ids[0], timed(100));
  Race race;
  race.entries = {{trial, "finalist", timed(90), false, {}}};
  race.winner = 0;
  log.record_race(session, race);

  EXPECT_EQ(log.trials(filter_of(task)).at(0).unit.code_generator, "0123456789abcdef");
  EXPECT_EQ(log.session_units(task).at(0).code_generator, "0123456789abcdef");
  const std::vector<std::string> plugins{"rows 1.0 0123456789abcdef"};
  EXPECT_EQ(log.trials(filter_of(task)).at(0).unit.plugins, plugins);
  EXPECT_EQ(log.session_units(task).at(0).plugins, plugins);
  const RecordProvenance best = log.best(filter_of(task))->made_by;
  EXPECT_EQ(best.code_generator, "0123456789abcdef");
  EXPECT_EQ(best.kernel, "Linux 6.1.0");
  EXPECT_EQ(best.microcode, "0x2b");
  EXPECT_EQ(best.huge_pages, "madvise");
  EXPECT_EQ(best.plugins, plugins);
}

}  // namespace
}  // namespace nestwright
