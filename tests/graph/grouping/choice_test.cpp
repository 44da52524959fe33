// Groupings are chosen by the times of their tasks.
#include "graph/grouping/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class GroupingChoice : public ::testing::Test {
 protected:
  /// Attention of three nodes: as one kernel, or two of them as one.
  std::vector<bool> chosen(double scale = 1) const {
    const std::vector<GroupingSite> sites{{"attention", {0, 1, 2}}, {"reduced-product", {0, 1}}, {"siblings", {5, 7}}};
    const std::vector<GroupingTasks> tasks{
        {{"scores", "softmax", "product"}, {"attention"}}, {{"scores", "softmax"}, {"shares"}}, {{"q", "q"}, {"qq"}}};
    const auto time_of = [&](const std::string& task) {
      const auto found = seconds_.find(task);
      return found == seconds_.end() ? std::nullopt : std::optional(found->second);
    };
    return faster_groupings(sites, tasks, time_of, scale);
  }

  std::map<std::string, double> seconds_{{"scores", 3}, {"softmax", 1}, {"product", 3}, {"attention", 5},
                                         {"shares", 3}, {"q", 2},       {"qq", 3}};
};

TEST_F(GroupingChoice, TakesTheFasterOnes) { EXPECT_THAT(chosen(), ElementsAre(true, false, true)); }

TEST_F(GroupingChoice, TakesTheOneThatSavesMostOfThoseThatOverlap) {
  seconds_["attention"] = 6.5;
  EXPECT_THAT(chosen(), ElementsAre(false, true, true));
}

TEST_F(GroupingChoice, LeavesWhatIsNotFaster) {
  seconds_["attention"] = 7;
  seconds_["shares"] = 4.5;
  seconds_["qq"] = 4;
  EXPECT_THAT(chosen(), ElementsAre(false, false, false));
}

TEST_F(GroupingChoice, TakesNearlyAsFastOnesIfTheyAreScaled) {
  seconds_["attention"] = 7.5;
  seconds_["shares"] = 6;
  seconds_["qq"] = 5;
  EXPECT_THAT(chosen(0.9), ElementsAre(true, false, false));
}

TEST_F(GroupingChoice, LeavesWhatWasNotTimed) {
  seconds_.erase("product");
  seconds_.erase("qq");
  EXPECT_THAT(chosen(), ElementsAre(false, true, false));
}

}  // namespace
}  // namespace nestwright
