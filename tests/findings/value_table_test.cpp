#include "findings/value_table.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "findings/value_reason.h"
#include "tests/findings/tiled_operator.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TemplateVersion kMadeUp{"made_up.cpu", 1};

class ValueTableTest : public ::testing::Test {
 protected:
  /// What became of a value, with the trials and sessions so far.
  ValueFinding find(const std::string& knob, const std::string& value, const ValueTableOptions& options = {}) {
    const ComparableTimes times = comparable_times(sessions_, trials_.columns());
    const std::vector<TemplateValues> table =
        value_table(context_, sessions_, proposals_, trials_.columns(), times, options);
    EXPECT_EQ(table.size(), 1);
    for (const KnobValues& of : table.front().knobs) {
      if (of.knob != knob) continue;
      for (const ValueFinding& finding : of.values) {
        if (finding.value == value) return finding;
      }
    }
    ADD_FAILURE() << "there is no " << knob << "=" << value;
    return {};
  }
  /// A session whose search considered so many points, of which those with the value of a knob are a part.
  void add_session(ConsideredPoints considered, const std::string& knob = "", const std::string& value = "",
                   ConsideredPoints with_value = {}, const std::string& options_json = "{}") {
    const auto id = static_cast<SessionId>(sessions_.size()) + 1;
    sessions_.push_back(made_up_session(id, 0, 0, options_json));
    SearchFunnel::OfTemplate of{kMadeUp, considered, {}};
    if (!knob.empty()) of.values[knob][value] = with_value;
    proposals_.push_back({id, 0, {}, SearchFunnel{{of}}});
  }

  const TaskContext context_ = tiled_task();
  MadeUpTrials trials_;
  std::vector<ListedSession> sessions_;
  std::vector<SessionProposals> proposals_;
};

TEST_F(ValueTableTest, EveryValueOfEveryKnobIsThere) {
  add_session({});
  const std::vector<TemplateValues> table =
      value_table(context_, sessions_, proposals_, trials_.columns(), comparable_times(sessions_, trials_.columns()));
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table[0].source, kMadeUp);
  std::vector<std::string> all;
  for (const KnobValues& knob : table[0].knobs) {
    for (const ValueFinding& value : knob.values) all.push_back(knob.knob + "=" + value.value);
    EXPECT_EQ(knob.only_with, knob.knob == "panel" ? "pack=yes" : "") << knob.knob;
  }
  EXPECT_THAT(all, ElementsAre("pack=no", "pack=yes", "rows=1", "rows=2", "rows=4", "rows=14", "columns=4", "columns=8",
                               "order=rows", "order=columns", "panel=8", "panel=16"));
}

TEST_F(ValueTableTest, ATriedValueHasItsTrialsAndItsBestTime) {
  add_session({});
  trials_.add(1, "pack=no rows=2 columns=4 order=rows", 300);
  trials_.add(1, "pack=no rows=2 columns=8 order=rows", 200);
  trials_.add(1, "pack=no rows=2 columns=8 order=columns", 100, kIsVerified | kEndedEarly);
  trials_.fail(1, "pack=yes rows=2 columns=8 order=columns panel=16", Outcome::kCrash, "signal 11");
  const ValueFinding rows = find("rows", "2");
  EXPECT_EQ(rows.status, ValueStatus::kTried);
  EXPECT_EQ(rows.trials, 4);
  EXPECT_EQ(rows.outcomes[static_cast<std::size_t>(Outcome::kOk)], 3);
  EXPECT_EQ(rows.outcomes[static_cast<std::size_t>(Outcome::kCrash)], 1);
  EXPECT_EQ(rows.best_ns, 200);
  EXPECT_FALSE(rows.is_rough);
  EXPECT_EQ(rows.best_trial, 2);
  const ValueFinding order = find("order", "columns");
  EXPECT_EQ(order.best_ns, 100);
  EXPECT_TRUE(order.is_rough);
  EXPECT_EQ(find("panel", "16").best_ns, 0);
}

TEST_F(ValueTableTest, AValueWithoutAValidPointIsRuledOutByItsConstraint) {
  add_session({100, 100});
  const ValueFinding rows = find("rows", "14");
  EXPECT_EQ(rows.status, ValueStatus::kRuledOut);
  EXPECT_THAT(rows.excluded_by, ElementsAre(ElementsAre("the tile does not fit into the registers")));
  // Possible with columns=4 only.
  EXPECT_EQ(find("panel", "8").status, ValueStatus::kNotConsidered);
}

TEST_F(ValueTableTest, AValueThatWasRankedButNotProposedWasRankedLow) {
  add_session({100, 90}, "rows", "4", {25, 20});
  add_session({100, 0}, "rows", "4", {5, 0});
  const ValueFinding rows = find("rows", "4");
  EXPECT_EQ(rows.status, ValueStatus::kRankedLow);
  EXPECT_EQ(rows.considered, (ConsideredPoints{30, 20}));
}

TEST_F(ValueTableTest, WithoutAPredictionAValueIsNotRankedLow) {
  add_session({100, 0}, "rows", "4", {5, 0});
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kSampled);
  EXPECT_EQ(value_reason(find("rows", "4")), "sampled 5 times, neither ranked nor proposed: more time may reach it");
  add_session({100, 90, 3}, "rows", "4", {1, 0, 3});
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kNotLowered);
  EXPECT_EQ(value_reason(find("rows", "4")),
            "sampled 6 times, 3 times not lowered, never proposed: the points with it could not be lowered");
  add_session({100, 90, 3}, "rows", "4", {0, 1, 0});
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kRankedLow);
  EXPECT_EQ(value_reason(find("rows", "4")),
            "sampled 6 times, ranked once, 3 times not lowered, never proposed: the model predicted shorter times for "
            "others");
}

TEST_F(ValueTableTest, AValueThatWasNotSampledHasItsExpectation) {
  add_session({33, 0});
  // Valid are 6 tiles of each order without packing; with packing 3 of columns=4 with both panels and 3 of columns=8
  // with one.
  const ValueFinding panel = find("panel", "8");
  EXPECT_EQ(panel.status, ValueStatus::kNotConsidered);
  EXPECT_NEAR(panel.expected_samples.value(), 33 * 3.0 / (6 + 9), 1e-9);
  EXPECT_EQ(find("panel", "8", {.counts_expected = false}).expected_samples, std::nullopt);
}

TEST_F(ValueTableTest, AValueOutsideOfEverySessionIsRestricted) {
  add_session({9, 9}, "", "", {}, R"({"fix":{"pack":"no"}})");
  add_session({9, 9}, "", "", {}, R"({"only":["rows <= 2"]})");
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kNotConsidered);  // the first session might have sampled it
  add_session({9, 9}, "", "", {}, R"({"template":"made_up.gpu"})");
  EXPECT_EQ(find("panel", "8").status, ValueStatus::kNotConsidered);  // the second one
  sessions_.erase(sessions_.begin() + 1);
  const ValueFinding panel = find("panel", "8");
  EXPECT_EQ(panel.status, ValueStatus::kRestricted);
  EXPECT_THAT(panel.scopes, ElementsAre("--fix pack=no", "--template made_up.gpu"));
  EXPECT_EQ(find("rows", "14").status, ValueStatus::kRuledOut);  // in the whole space
}

TEST_F(ValueTableTest, ARestrictedValueHasEveryScope) {
  add_session({9, 9}, "", "", {}, R"({"fix":{"rows":"1"}})");
  EXPECT_EQ(value_reason(find("rows", "4")), "no session searched it: all stayed within --fix rows=1");
  add_session({9, 9}, "", "", {}, R"({"fix":{"rows":"2"}})");
  EXPECT_THAT(find("rows", "4").scopes, ElementsAre("--fix rows=1", "--fix rows=2"));
  EXPECT_EQ(value_reason(find("rows", "4")),
            "no session searched it: each stayed within --fix rows=1, or --fix rows=2");
}

TEST_F(ValueTableTest, ASessionThatRevalidatesSearchesNothing) {
  add_session({9, 9}, "", "", {}, R"({"fix":{"rows":"1"}})");
  add_session({});
  sessions_.back().strategy = kRevalidateStrategy;
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kRestricted);
  sessions_.erase(sessions_.begin());
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kNotConsidered) << "none searched";
}

TEST_F(ValueTableTest, AConditionRestrictsWhatConstraintsLeaveOfIt) {
  add_session({9, 9}, "", "", {}, R"({"only":["columns == 8 and pack == yes"]})");
  EXPECT_EQ(find("panel", "8").status, ValueStatus::kRestricted);
  EXPECT_EQ(find("panel", "16").status, ValueStatus::kNotConsidered);
}

TEST_F(ValueTableTest, AProposalWithoutATrialIsPending) {
  add_session({9, 9}, "rows", "4", {1, 1});
  proposals_[0].unmeasured.push_back({"made_up.cpu", 1, Config::parse("pack=no rows=4 columns=8 order=rows")});
  proposals_[0].unmeasured.push_back({"made_up.cpu", 2, Config::parse("pack=no rows=1 columns=8 order=rows")});
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kPending);
  EXPECT_EQ(find("rows", "1").status, ValueStatus::kNotConsidered);  // a proposal of another version
}

TEST_F(ValueTableTest, WithoutARecordOfWhatWasConsideredTheReasonIsUnknown) {
  add_session({9, 9});
  proposals_[0].funnel.reset();
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kNotConsidered) << "the session proposed nothing";
  proposals_[0].proposed = 3;
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kUnknown);
  EXPECT_EQ(find("rows", "14").status, ValueStatus::kRuledOut);
  sessions_[0].strategy = kRevalidateStrategy;
  EXPECT_EQ(find("rows", "4").status, ValueStatus::kNotConsidered) << "the session did not search";
}

TEST_F(ValueTableTest, TrialsOfOtherVersionsDoNotCount) {
  MadeUpTrials others("other.cpu");
  others.add(1, "pack=no rows=2 columns=4 order=rows", 300);
  add_session({});
  const std::vector<TemplateValues> table =
      value_table(context_, sessions_, proposals_, others.columns(), comparable_times(sessions_, others.columns()));
  EXPECT_EQ(table[0].trials, 0);
  for (const KnobValues& knob : table[0].knobs) {
    for (const ValueFinding& value : knob.values) EXPECT_EQ(value.trials, 0);
  }
}

TEST_F(ValueTableTest, OneKnobAloneHasTheSameFindings) {
  add_session({33, 0});
  trials_.add(1, "pack=no rows=2 columns=4 order=rows", 300);
  const ComparableTimes times = comparable_times(sessions_, trials_.columns());
  const auto table = value_table(context_, sessions_, proposals_, trials_.columns(), times, {.knob = "rows"});
  ASSERT_EQ(table[0].knobs.size(), 1);
  EXPECT_EQ(table[0].knobs[0].values[1].trials, 1);
  EXPECT_THAT(value_table(context_, sessions_, proposals_, trials_.columns(), times, {.knob = "none"})[0].knobs,
              IsEmpty());
}

}  // namespace
}  // namespace nestwright
