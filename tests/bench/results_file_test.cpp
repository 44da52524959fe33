#include "bench/comparison/results/results_file.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "nestwright/error.h"
#include "support/os/scratch_folder.h"
#include "tests/bench/synthetic.h"

namespace nestwright::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

const Provenance kHere = {"abc",
                          {{"cpu", "Some CPU"}, {"cores", 2}, {"peak_gflops", {{"float32_1_thread", 100}}}},
                          {{"pages", "small"}, {"rounds", 2}}};

class ResultsFileTest : public ::testing::Test {
 protected:
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
  }

  const ScratchFolder folder{"results"};
  const std::string path = folder.path() + "/results.jsonl";
};

Comparison first() {
  Comparison c = synthetic("first", {{"Nestwright", "ours", false, {1e6, 2e6}}, {"X", "wrong path", true, {}}});
  c.subject.threads = 2;
  c.subject.weights = Weights::kPrepacked;
  c.subject.peak_scale = 0.5;
  c.tuning = {3, 40, 5};
  c.dropped = 7;
  c.launch_ns = 2100;
  return c;
}

TEST_F(ResultsFileTest, ComparisonsComeBackAsTheyWere) {
  ResultsFile::begin(path, kHere).add(first());
  const ResultsFile again = ResultsFile::resume(path, kHere);
  EXPECT_EQ(again.comparisons(), 1);
  EXPECT_EQ(first().subject.key(), "matmul of first | 2 threads | prepacked");
  const Comparison* c = again.find(first().subject.key());
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->subject.label, "first");
  EXPECT_EQ(c->subject.flops, 1e9);
  EXPECT_EQ(c->subject.bytes, 1e7);
  EXPECT_EQ(c->subject.peak_scale, 0.5);
  EXPECT_EQ(c->tuning.seconds, 3);
  EXPECT_EQ(c->tuning.trials, 40);
  EXPECT_EQ(c->tuning.earlier_trials, 5);
  EXPECT_EQ(c->dropped, 7);
  EXPECT_EQ(c->launch_ns, 2100);
  EXPECT_EQ(c->rounds_asked, 2);
  EXPECT_THAT(c->peaks_gflops, ElementsAre(2000, 2000));
  EXPECT_THAT(c->copies_gb_s, ElementsAre(100, 100));
  ASSERT_EQ(c->series.size(), 2u);
  EXPECT_THAT(c->series[0].times_ns, ElementsAre(1e6, 2e6));
  EXPECT_FALSE(c->series[0].refused);
  EXPECT_EQ(c->series[1].name, "X");
  EXPECT_EQ(c->series[1].detail, "wrong path");
  EXPECT_TRUE(c->series[1].refused);
  EXPECT_EQ(again.find("another"), nullptr);
}

TEST_F(ResultsFileTest, WhatAKillCutShortDoesNotCountAndIsNotInTheWay) {
  ResultsFile::begin(path, kHere).add(first());
  const std::string whole = text();
  Comparison second = first();
  second.subject.workload = "second";
  for (const std::size_t kept : {1u, 20u, 200u}) {
    const std::string line = to_json(second).dump();
    std::ofstream(path) << whole << line.substr(0, kept);
    ResultsFile resumed = ResultsFile::resume(path, kHere);
    EXPECT_EQ(resumed.comparisons(), 1);
    EXPECT_EQ(text(), whole);
    resumed.add(second);
    EXPECT_NE(ResultsFile::resume(path, kHere).find(second.subject.key()), nullptr);
  }
}

TEST_F(ResultsFileTest, AKillBeforeTheFirstLineWasWholeBeginsAnew) {
  std::ofstream(path) << R"({"format": 1, "com)";
  ResultsFile file = ResultsFile::resume(path, kHere);
  file.add(first());
  EXPECT_EQ(ResultsFile::resume(path, kHere).comparisons(), 1);
}

TEST_F(ResultsFileTest, AnIncompleteComparisonIsMeasuredAgain) {
  ResultsFile file = ResultsFile::begin(path, kHere);
  Comparison incomplete = first();
  incomplete.rounds_asked = 3;
  file.add(incomplete);
  EXPECT_EQ(file.find(first().subject.key()), nullptr);
  file.add(first());
  EXPECT_NE(ResultsFile::resume(path, kHere).find(first().subject.key()), nullptr) << "the last one counts";
}

TEST_F(ResultsFileTest, WithoutResumeTheEarlierFileIsKept) {
  ResultsFile::begin(path, kHere).add(first());
  EXPECT_EQ(ResultsFile::begin(path, kHere).find(first().subject.key()), nullptr);
  EXPECT_EQ(ResultsFile::resume(path, kHere).comparisons(), 0);
  EXPECT_EQ(ResultsFile::resume(path + ".old", kHere).comparisons(), 1);
}

TEST_F(ResultsFileTest, NothingToResumeBeginsOne) {
  EXPECT_EQ(ResultsFile::resume(path, kHere).comparisons(), 0);
  EXPECT_THAT(text(), HasSubstr("Some CPU"));
}

TEST_F(ResultsFileTest, AnotherCommitMachineOrWayOfMeasuringIsSaid) {
  ResultsFile::begin(path, kHere).add(first());
  Provenance there = kHere;
  there.commit = "def";
  EXPECT_THAT(
      [&] { ResultsFile::resume(path, there); },
      ThrowsMessage<UsageError>(path + " holds results that these would not belong to: other commit (abc there, "
                                       "def here); finish them there, give another file with --results, or begin "
                                       "anew without --resume"));
  there = kHere;
  there.doctor["cores"] = 4;
  there.conditions["pages"] = "huge";
  EXPECT_THAT(differences(kHere, there), ElementsAre("cores (2 there, 4 here)", "pages (small there, huge here)"));
  EXPECT_THAT(
      [&] { ResultsFile::resume(path, there); },
      ThrowsMessage<UsageError>(HasSubstr("other cores (2 there, 4 here), other pages (small there, huge here);")));
  EXPECT_EQ(ResultsFile::resume(path, kHere).comparisons(), 1) << "and nothing was written";
}

TEST_F(ResultsFileTest, WhatDoctorMeasuresMayMove) {
  Provenance later = kHere;
  later.doctor["quietness"] = {{"fma_spread", 0.5}};
  later.doctor["peak_gflops"]["float32_1_thread"] = 101;
  later.doctor["bandwidth_gb_s"]["memory_copy"] = 17.5;
  later.doctor["parallel_start_us"]["spin"]["idle"] = 31.6;
  EXPECT_THAT(differences(kHere, later), IsEmpty());
}

TEST_F(ResultsFileTest, WhatDoctorMeasuresOfADeviceMayMoveAndTheDeviceMayNot) {
  Provenance there = kHere;
  there.doctor["devices"] = {{"cuda", "missing"},
                             {"opencl", {{{"index", 0}, {"name", "Some GPU"}, {"memory", 1000}, {"copy_gb_s", 17.1}}}}};
  Provenance here = there;
  nlohmann::json& device = here.doctor["devices"]["opencl"][0];
  device["copy_gb_s"] = 18.2;
  device["memory"] = 999;  // of OpenCL on a CPU, the free memory
  EXPECT_THAT(differences(there, here), IsEmpty());
  device["name"] = "Other GPU";
  EXPECT_THAT(differences(there, here), ElementsAre(HasSubstr("Other GPU")));
}

TEST_F(ResultsFileTest, OnADeviceTheHostMayBeAnotherOne) {
  const Provenance there{"abc", kHere.doctor, {{"device", "Some GPU"}, {"driver", "CUDA 12.4"}}, false};
  Provenance here = there;
  here.doctor["cpu"] = "Other CPU";
  here.doctor["cores"] = 64;
  ResultsFile::begin(path, there).add(first());
  EXPECT_EQ(ResultsFile::resume(path, here).comparisons(), 1);
  here.conditions["driver"] = "CUDA 13.0";
  EXPECT_THAT([&] { ResultsFile::resume(path, here); },
              ThrowsMessage<UsageError>(HasSubstr("other driver (CUDA 12.4 there, CUDA 13.0 here);")));
}

TEST_F(ResultsFileTest, WhatWasBegunAndNeverEndedIsKnown) {
  ResultsFile::begin(path, kHere).note_attempt("matmul of first");
  ResultsFile resumed = ResultsFile::resume(path, kHere);
  EXPECT_EQ(resumed.attempts("matmul of first"), 1);
  EXPECT_EQ(resumed.attempts("another"), 0);
  resumed.note_attempt("matmul of first");
  EXPECT_EQ(resumed.attempts("matmul of first"), 2);
  EXPECT_EQ(ResultsFile::resume(path, kHere).attempts("matmul of first"), 2);
  EXPECT_EQ(resumed.comparisons(), 0);
}

TEST_F(ResultsFileTest, AnotherFileIsRefusedAndLeftAlone) {
  std::ofstream(path) << "my notes\n";
  EXPECT_THAT(
      [&] { ResultsFile::resume(path, kHere); },
      ThrowsMessage<UsageError>(path + ", line 1, is no result of bench/compare; give another file with --results"));
  EXPECT_EQ(text(), "my notes\n");
  EXPECT_THAT([&] { ResultsFile::begin("/no/such/folder/x", kHere); },
              ThrowsMessage<Error>("cannot write /no/such/folder/x (No such file or directory): give another file with "
                                   "--results"));
}

}  // namespace
}  // namespace nestwright::bench
