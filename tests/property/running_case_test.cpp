// A crash names the cases that were running.
#include "tests/property/running_case.h"

#include <gtest/gtest.h>

#include <csignal>

namespace nestwright::property {
namespace {

void crash(int signal) {
  name_running_cases_at_crash();
  {
    const RunningCase done(1111);
  }
  const RunningCase first(2222), second(18446744073709551615u);
  raise(signal);
}

TEST(RunningCaseDeathTest, IsNamedByACrash) {
  EXPECT_EXIT(crash(SIGSEGV), ::testing::KilledBySignal(SIGSEGV),
              "^crashed with signal 11; again:\n"
              "  nestwright-soak --case 2222\n"
              "  nestwright-soak --case 18446744073709551615\n$");
  EXPECT_EXIT(crash(SIGILL), ::testing::KilledBySignal(SIGILL), "^crashed with signal 4; again:\n");
}

}  // namespace
}  // namespace nestwright::property
