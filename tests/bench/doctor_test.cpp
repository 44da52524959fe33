// Two reports of the real doctor on one machine have the same origin, although their measurements differ.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/comparison/results/results_file.h"
#include "tests/cli/command_line.h"

namespace nestwright::bench {
namespace {

nlohmann::json ask() {
  const CommandOutput ran = run_nestwright({"doctor", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  return nlohmann::json::parse(ran.out);
}

TEST(Doctor, TwoAnswersAreOfOneOrigin) {
  const nlohmann::json once = ask(), again = ask();
  ASSERT_TRUE(once.at("devices").at("opencl").is_array()) << "PoCL is a device of every machine that tests";
  EXPECT_NE(once.at("devices").dump(), again.at("devices").dump()) << "its bandwidth is measured each time";
  EXPECT_THAT(differences({"abc", once, {}}, {"abc", again, {}}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace nestwright::bench
