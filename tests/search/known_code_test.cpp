#include "search/trials/known_code.h"

#include <gtest/gtest.h>

namespace nestwright {
namespace {

Measurement measured(double median_ns) {
  Measurement m;
  m.timing.median_ns = median_ns;
  m.timing.samples_ns = {median_ns};
  m.evidence = {true, 0.5, 0.25};
  m.compile_ms = 10;
  m.check_ms = 20;
  m.measure_ms = 30;
  return m;
}

TEST(KnownCode, TheFirstTrialOfACodeStays) {
  KnownCode known;
  EXPECT_EQ(known.find("a"), nullptr);
  known.add("a", 7, measured(100));
  known.add("a", 8, measured(50));
  known.add("b", 9, measured(60));
  ASSERT_NE(known.find("a"), nullptr);
  EXPECT_EQ(known.find("a")->trial, 7);
  EXPECT_EQ(known.find("a")->measurement.timing.median_ns, 100);
  EXPECT_EQ(known.find("b")->trial, 9);
}

TEST(KnownCode, WhatWasNotCompiledHasNone) {
  KnownCode known;
  known.add("", 7, measured(100));
  EXPECT_EQ(known.find(""), nullptr);
}

TEST(KnownCode, TakingCostsItsOwnCompilationAlone) {
  const Measurement taken = taken_from({7, measured(100)}, 15);
  EXPECT_EQ(taken.timing.median_ns, 100);
  EXPECT_EQ(taken.timing.samples_ns, std::vector<double>{100});
  EXPECT_TRUE(taken.evidence.verified);
  EXPECT_EQ(taken.compile_ms, 15);
  EXPECT_EQ(taken.check_ms, 0);
  EXPECT_EQ(taken.measure_ms, 0);
}

TEST(KnownCode, ADisturbedMeasurementGivesWayToANewOneAndToOneOfAnotherTrial) {
  Measurement disturbed = measured(200), other = measured(150);
  disturbed.timing.disturbance = other.timing.disturbance = "the hypervisor took 10 ms";
  KnownCode known;
  for (const TrialId better : {1, 2}) {
    const std::string code = std::to_string(better);
    known.add(code, 1, disturbed);
    known.add(code, 2, other);
    EXPECT_EQ(known.find(code)->trial, 1) << "the other one is no better";
    known.add(code, better, measured(100));
    EXPECT_EQ(known.find(code)->trial, better);
    EXPECT_EQ(known.find(code)->measurement.timing.median_ns, 100);
    known.add(code, 1, disturbed);
    EXPECT_EQ(known.find(code)->measurement.timing.median_ns, 100);
  }
}

}  // namespace
}  // namespace nestwright
