// Random expressions and schedules: the scheduled program computes what the unscheduled one does, in the interpreter
// and compiled. NESTWRIGHT_SLICE, a number, chooses a quarter of the programs that are interpreted; with
// NESTWRIGHT_SOAK in the environment all are. nestwright-soak runs more, for any time.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>

#include "nestwright/error.h"
#include "tests/property/campaign.h"
#include "tests/property/draw/drawer.h"
#include "tests/support/soak.h"

namespace nestwright::property {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

void expect_no_failures(const CampaignResult& result) {
  for (const Failure& failure : result.failures) ADD_FAILURE() << explain(failure, 400);
}

TEST(Drawers, AreThereForEveryPrimitive) {
  std::vector<std::string> names;
  for (const Drawer& drawer : drawers()) names.emplace_back(drawer.primitive);
  std::sort(names.begin(), names.end());
  EXPECT_THAT(names, ElementsAreArray(traced_primitives()))
      << "each primitive has a drawer in tests/property/draw and a line in its table";
}

TEST(RandomPrograms, AgreeWithTheUnscheduledProgramInTheInterpreter) {
  constexpr int kPrograms = 10000, kSlices = 4;
  const testing::CaseRange programs = testing::cases_of_run(kPrograms, kSlices);
  Counts counts;
  for (int first = programs.first; first < programs.end; first += kPrograms / kSlices) {
    Campaign campaign;
    campaign.seed = 20260101 + first;
    campaign.programs = kPrograms / kSlices;
    const CampaignResult result = run_campaign(campaign);
    expect_no_failures(result);
    counts.add(result.counts);
  }
  std::fputs((counts.table() + counts.summary()).c_str(), stdout);
  if (testing::is_soak()) {
    EXPECT_THAT(counts.missing(), IsEmpty());
  }
  EXPECT_GE(counts.vector_forms, counts.programs / 17);
  EXPECT_GE(counts.replayed, counts.programs / 10);
  // A program that the verifier cannot prove may be correct, but there should be few of them.
  EXPECT_LE(counts.verdicts.at(Verdict::kUnproved), counts.programs / 100);
}

TEST(RandomPrograms, AgreeWithTheUnscheduledProgramCompiled) {
  if (runnable_isas().empty()) GTEST_SKIP() << "built without LLVM";
  Campaign campaign;
  campaign.seed = 20260102;
  campaign.programs = campaign.compiled = 150;
  campaign.rates = {.replay = 0, .vector = 0, .compile = 1};
  const CampaignResult result = run_campaign(campaign);
  expect_no_failures(result);
  EXPECT_GE(result.counts.compiled, 150);
}

TEST(RandomPrograms, AreMadeFromTheirSeedAlone) {
  int made = 0;
  for (std::uint64_t seed = 1; made < 20; ++seed) {
    ExpressionChoices once = draw_expression(seed), again = draw_expression(seed), played;
    try {
      const Expression first = make_expression(once), second = make_expression(again);
      EXPECT_EQ(first.str(), second.str());
      for (const Choices& compute : once) played.emplace_back(compute.recorded());
      EXPECT_EQ(make_expression(played).str(), first.str());
      EXPECT_EQ(draw_schedule(first, draw_goal(seed), seed).schedule.trace(),
                draw_schedule(second, draw_goal(seed), seed).schedule.trace());
      ++made;
    } catch (const UsageError&) {  // a refused expression
    }
  }
}

}  // namespace
}  // namespace nestwright::property
