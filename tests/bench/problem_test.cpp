#include "bench/compare/problem.h"

#include <gmock/gmock.h>

#include "support/error.h"

namespace nestwright::bench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Problem, IsReadFromThreeSizesOrACube) {
  EXPECT_EQ(parse_problem("128x3072x768"), (Problem{128, 3072, 768}));
  EXPECT_EQ(parse_problem("512^3"), (Problem{512, 512, 512}));
  EXPECT_EQ(parse_problem("1x1x1"), (Problem{1, 1, 1}));
}

TEST(Problem, PrintsWhatItWasReadFrom) {
  const Problem problem{128, 3072, 768};
  EXPECT_EQ(problem.str(), "128x3072x768");
  EXPECT_EQ(problem.workload(), "matmul m=128 n=3072 k=768");
  EXPECT_EQ(parse_problem(problem.str()), problem);
  EXPECT_DOUBLE_EQ(problem.flops(), 603979776.0);
}

TEST(Problem, RefusesWhatIsNone) {
  const auto refuses = [](const char* text, const char* why) {
    EXPECT_THAT([&] { parse_problem(text); }, ThrowsMessage<UsageError>(HasSubstr(why))) << text;
  };
  refuses("", "'' is not a size");
  refuses("512", "has 1 sizes");
  refuses("1x2x3x4", "has 4 sizes");
  refuses("0x5x5", "'0' is not a size in 1 .. 16384");
  refuses("5x-5x5", "'-5' is not a size");
  refuses("5x5x", "'' is not a size");
  refuses("99999^3", "'99999' is not a size");
  refuses("512^2", "'512^2' is not a size");
}

}  // namespace
}  // namespace nestwright::bench
