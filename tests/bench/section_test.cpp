#include "bench/comparison/results/section.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "bench/comparison/results/report.h"
#include "tests/bench/synthetic.h"

namespace nestwright::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Row row(Comparison comparison) { return {comparison.subject.label, comparison.subject.workload, comparison}; }

Section two_and_one_to_come() {
  Comparison busy = synthetic("square 8", {{"Nestwright", "", false, {1e6, 1e6}},
                                           {"oneDNN", "", false, {2e6, 2e6}},
                                           {"MKL", "its generic path", true, {}}});
  busy.rounds_asked = 3;
  return {"gemm",
          2,
          Weights::kPlain,
          {row(synthetic("square 7", {{"Nestwright", "", false, {1e6, 1e6}},
                                      {"oneDNN", "", false, {0.5e6, 0.5e6}},
                                      {"BLIS", "", false, {4e6, 4e6}}})),
           row(busy),
           {"softmax", "softmax rows=1", std::nullopt}}};
}

TEST(Section, TableShowsEveryRowAndHidesNothing) {
  EXPECT_EQ(to_text(two_and_one_to_come()), R"(gemm, 2 threads, packing included
                GFLOP/s    GB/s  of what binds  best library   GFLOP/s  ours / best [95%]          oneDNN    BLIS     MKL
  square 7       1000.0    10.0  50.0% compute  oneDNN          2000.0  0.500 [0.500 .. 0.500]      0.500   4.000       -
  square 8       1000.0    10.0  50.0% compute  oneDNN           500.0  2.000 [2.000 .. 2.000]      2.000       - refused  only 2 of 3 rounds count: the machine is too busy
  softmax       no template: softmax rows=1
  ours over     shapes   geomean  worst
  the best           2     1.000  0.500 [0.500 .. 0.500] square 7; wholly below 0.97: 1 (square 7)
  oneDNN             2     1.000  0.500 [0.500 .. 0.500] square 7; wholly below 0.97: 1 (square 7)
  BLIS               1     4.000  4.000 [4.000 .. 4.000] square 7
  MKL                0         -  -
  share of what binds: geomean 50.0%, worst 50.0% square 7
  refused: MKL on square 8: its generic path
  no template for 1 of 3 workloads: they are not in these numbers
)");
}

TEST(Section, TitleSaysWhoseLayoutsTheTensorsHave) {
  EXPECT_EQ((Section{"convolution", 1, Weights::kBlocked, {}}).title(),
            "convolution, 1 thread, all tensors in the libraries' own layouts, of ours the weights only");
}

TEST(Section, WhereOursDoesNotRunTheLibrariesAreStillShown) {
  const Section section{
      "gemm",
      1,
      Weights::kPrepacked,
      {row(synthetic("square 7", {{"Nestwright", "none yet", false, {}}, {"MKL", "", false, {2e6}}}))}};
  const std::string text = to_text(section);
  EXPECT_THAT(text, HasSubstr("gemm, 1 thread, weights prepacked\n"));
  EXPECT_THAT(text, HasSubstr("MKL              500.0  -"));
  EXPECT_THAT(text, HasSubstr("ours: none yet\n"));
  EXPECT_THAT(text, HasSubstr("the best           0         -  -\n"));
}

TEST(Section, JoinedCountsAWorkloadOnce) {
  Section other = two_and_one_to_come();
  other.suite = "ragged";
  other.rows.push_back(row(synthetic("square 9", {{"Nestwright", "", false, {1e6, 1e6}}})));
  const Section all = joined({two_and_one_to_come(), other});
  EXPECT_EQ(all.title(), "gemm + ragged, 2 threads, packing included");
  ASSERT_EQ(all.rows.size(), 4u);
  EXPECT_EQ(all.rows[3].label, "square 9");
  EXPECT_EQ(all.without_template(), 1);
  EXPECT_THAT(all.libraries(), ElementsAre("oneDNN", "BLIS", "MKL"));
}

TEST(Section, JsonHasWhatTheTableHas) {
  const nlohmann::json json = to_json(two_and_one_to_come());
  EXPECT_EQ(json["suite"], "gemm");
  EXPECT_EQ(json["weights"], "plain");
  EXPECT_EQ(json["without_template"], 1);
  EXPECT_EQ(json["rows"][2]["no_template"], true);
  const nlohmann::json& first = json["rows"][0];
  EXPECT_EQ(first["best_library"], "oneDNN");
  EXPECT_EQ(first["ratio_to_best"]["median"], 0.5);
  EXPECT_EQ(first["series"][0]["bound"], "compute");
  EXPECT_EQ(first["series"][0]["share_of_bound"], 0.5);
  EXPECT_EQ(first["series"][2]["ratio_ours"]["low"], 4.0);
  EXPECT_EQ(json["verdicts"][0]["rival"], "the best");
  EXPECT_EQ(json["verdicts"][0]["lost"][0], "square 7");
  EXPECT_EQ(json["share_of_bound"]["geomean"], 0.5);
}

TEST(Report, HeadingTellsWhereResultsComeFromAndWhoIsAbsent) {
  const Provenance provenance{
      "abc1234",
      {{"cpu", "Some CPU"}, {"cores", 2}, {"target", "cpu,isa=avx2"}, {"kernel", "Linux 6.1"}, {"microcode", "0x1"}},
      {{"pages", "small"}, {"rounds", 25}}};
  EXPECT_EQ(report_heading(provenance, {"MKL", "BLIS"}), R"(cpu         Some CPU, 2 cores
target      cpu,isa=avx2
system      Linux 6.1, microcode 0x1
commit      abc1234
conditions  pages "small", rounds 25
absent      MKL, BLIS: not compared; bench/peers fetches them
)");
}

TEST(Report, OneComparison) {
  Comparison c = synthetic("square 7", {{"Nestwright", "ours", false, {1e6, 1e6}},
                                        {"oneDNN", "2.6", false, {2e6, 2e6}},
                                        {"BLIS", "float32 only", false, {}},
                                        {"MKL", "its generic path", true, {}}});
  c.rounds_asked = 3;
  c.dropped = 7;
  EXPECT_EQ(to_text(c),
            R"(square 7 (matmul of square 7), 1 thread, plain weights: 2 rounds, 7 dropped (the machine was not ours)
  peak 2000.0 GFLOP/s float32, copy 100.0 GB/s: bound by compute
                 GFLOP/s     GB/s of bound  ours / it
  Nestwright      1000.0     10.0    50.0%                            ours
  oneDNN           500.0      5.0    25.0%  2.000 [2.000 .. 2.000]    2.6
  BLIS          no times: float32 only
  MKL           refused: its generic path
  only 2 of 3 rounds count: the machine is too busy; stop what else runs here
)");
}

TEST(Report, WhatLaunchesBindOnADeviceIsSaid) {
  Comparison c = synthetic("small", {{"Nestwright", "ours", false, {5e3, 5e3}}});
  const std::string said = "  a launch takes 2.00 us: what is shorter than 3 of them is bound by that\n";
  EXPECT_EQ(to_text(c).find(said), std::string::npos);
  c.launch_ns = 2e3;
  EXPECT_NE(to_text(c).find(said), std::string::npos);
  c.series.front().times_ns = {7e3, 7e3};
  EXPECT_EQ(to_text(c).find(said), std::string::npos);
}

}  // namespace
}  // namespace nestwright::bench
