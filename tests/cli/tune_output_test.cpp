#include "cli/output/tune_output.h"

#include <gtest/gtest.h>

namespace nestwright::cli {
namespace {

TEST(DisturbanceText, IsEmptyForAQuietRun) {
  SessionResult result;
  EXPECT_EQ(disturbance_text(result), "");
  result.disturbed = result.remeasured = 3;
  EXPECT_EQ(disturbance_text(result), "") << "all were measured again";
}

TEST(DisturbanceText, NamesTheResultsThatDoNotCount) {
  SessionResult result;
  result.disturbed = 5;
  result.remeasured = 3;
  const std::string trials =
      "2 trials were timed on a disturbed machine and do not count until they are measured again";
  const std::string race =
      "the final race was disturbed (steal of 12%) and replaced nothing: run again when the machine is quiet";
  EXPECT_EQ(disturbance_text(result), trials);
  result.race_disturbance = "steal of 12%";
  EXPECT_EQ(disturbance_text(result), trials + "; " + race);
  result.remeasured = 5;
  EXPECT_EQ(disturbance_text(result), race);
}

}  // namespace
}  // namespace nestwright::cli
