// The highest rates ever measured on a machine.
#include <gmock/gmock.h>

#include <limits>

#include "nestwright/database.h"
#include "nestwright/error.h"
#include "tests/logs/sample.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

TEST(LimitsTest, OnlyRise) {
  const TemporaryFolder folder;
  TuningLog log = TuningLog::open(folder.file("log.db"), OpenMode::kWrite);
  const auto raise = [&](const std::string& machine, double fma, double read) {
    const MachineLimits limits = log.raise_limits(machine, {fma, read});
    return std::pair(limits.fma_gflops, limits.read_gb_s);
  };
  EXPECT_EQ(raise("a", 400, 900), std::pair(400.0, 900.0));
  EXPECT_EQ(raise("a", 469, 800), std::pair(469.0, 900.0)) << "each on its own";
  EXPECT_EQ(raise("b", 100, 200), std::pair(100.0, 200.0)) << "another machine";
  EXPECT_EQ(raise("a", 0, 0), std::pair(469.0, 900.0));
  TuningLog again = TuningLog::open(folder.file("log.db"), OpenMode::kWrite);
  EXPECT_EQ(again.raise_limits("a", {1, 901.5}).read_gb_s, 901.5);
}

TEST(LimitsTest, WhatIsNoRateIsRefused) {
  const TemporaryFolder folder;
  TuningLog log = TuningLog::open(folder.file("log.db"), OpenMode::kWrite);
  for (const double wrong : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const MachineLimits& limits : {MachineLimits{wrong, 1}, MachineLimits{1, wrong}}) {
      EXPECT_THAT(message<LogError>([&] { log.raise_limits("a", limits); }),
                  ::testing::HasSubstr("cannot be a limit of machine 'a'"));
    }
  }
  EXPECT_EQ(log.raise_limits("a", {}).fma_gflops, 0);
}

}  // namespace
}  // namespace nestwright
