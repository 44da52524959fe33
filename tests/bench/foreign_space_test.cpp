// Strategies run on recorded spaces of other tuners.

#include "bench/replay/foreign_space.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "bench/replay/replay.h"
#include "logs/exchange/exchange.h"
#include "nestwright/error.h"
#include "search/propose/make_strategy.h"
#include "support/os/scratch_folder.h"

namespace nestwright {
namespace {

/// A cache of Kernel Tuner with 96 configurations, of which those with width = 24 failed; the best is that with the
/// largest rows and the smallest width.
void write_cache(const std::string& path) {
  std::ofstream file(path);
  file << R"({"device_name": "made up", "kernel_name": "stencil", "problem_size": [4096, 4096],
              "tune_params_keys": ["rows", "width", "layout", "scale"], "tune_params": {}, "cache": {)";
  const char* separator = "";
  for (const int rows : {1, 2, 4, 8}) {
    for (const int width : {8, 16, 24, 32}) {
      for (const char* layout : {"row", "column", "tiled"}) {
        for (const char* scale : {"0.5", "true"}) {
          file << separator << '"' << rows << ',' << width << ',' << layout << ',' << scale << R"(": {"rows": )" << rows
               << R"(, "width": )" << width << R"(, "layout": ")" << layout << R"(", "scale": )" << scale
               << R"(, "time": )";
          if (width == 24) {
            file << "\"RuntimeFailedConfig\"}";
          } else {
            file << 1.0 / rows + 0.01 * width << ", \"compile_time\": 5}";
          }
          separator = ",\n";
        }
      }
    }
  }
  file << "}\n}\n";
}

class ForeignSpaces : public ::testing::Test {
 protected:
  void SetUp() override { write_cache(file_); }
  const ScratchFolder folder_{"foreign-space-test"};
  const std::string file_ = folder_.path() + "/stencil.json";
};

TEST_F(ForeignSpaces, EveryStrategyRunsOnAFileAndFindsItsBest) {
  const std::vector<ForeignReplay> spaces = read_foreign_spaces(file_);
  ASSERT_EQ(spaces.size(), 1u);
  EXPECT_EQ(spaces[0].workload, "kernel_tuner:stencil problem_size=4096,4096");
  EXPECT_EQ(spaces[0].device, "made up");
  const Replay replay(spaces[0].task, spaces[0].points);
  EXPECT_EQ(replay.space().points().size(), 96u);
  EXPECT_NEAR(replay.best_ns(), (1.0 / 8 + 0.08) * 1e6, 1e-3);
  for (const std::string& strategy : strategy_names()) {
    const auto measured = replay.run({.strategy = strategy, .trials = 96});
    std::set<std::string> keys;
    double best_ns = 0;
    for (const SurveyedPoint& point : measured) {
      EXPECT_TRUE(keys.insert(point.trial.point.key()).second) << strategy << " measured a point twice";
      EXPECT_EQ(point.counts, point.trial.point.config.find("width")->value != KnobValue{24});
      if (point.counts && (best_ns == 0 || point.trial.ns < best_ns)) best_ns = point.trial.ns;
    }
    EXPECT_GE(measured.size(), 24u) << strategy;
    EXPECT_LE(best_ns, 1.3 * replay.best_ns()) << strategy;
  }
}

TEST_F(ForeignSpaces, AreFoundInADatabaseBesideOthers) {
  const std::string database = folder_.path() + "/log.db";
  import_records(database, {.file = file_});
  import_records(database, {.file = file_, .device = "another"});
  const std::vector<ForeignReplay> spaces = read_foreign_spaces(database);
  ASSERT_EQ(spaces.size(), 2u);
  EXPECT_EQ(spaces[0].points.size(), 96u);
  EXPECT_EQ(spaces[1].points.size(), 96u);
  EXPECT_NE(spaces[0].device, spaces[1].device);
}

TEST_F(ForeignSpaces, AFileWithoutAnyIsRefused) {
  const std::string database = folder_.path() + "/empty.db";
  TuningLog::open(database, OpenMode::kWrite);
  EXPECT_THROW(read_foreign_spaces(database), UsageError);
  EXPECT_THROW(read_foreign_spaces(folder_.path() + "/none.json"), UsageError);
}

}  // namespace
}  // namespace nestwright
