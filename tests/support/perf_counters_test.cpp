#include "support/os/perf_counters.h"

#include <gmock/gmock.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <thread>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kPages = 200, kPageBytes = 4096;

/// Touches pages that were not touched before, each of which is a page fault.
void touch_pages() {
  void* const memory = mmap(nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPages * kPageBytes, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < kPages; ++page) static_cast<volatile char*>(memory)[page * kPageBytes] = 1;
  munmap(memory, kPages * kPageBytes);
}

// Events of the operating system, which virtual machines count, too.
const std::vector<PerfEvent> kPageFaults{{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};

TEST(PerfCountersTest, CountsThisThreadAndThoseThatItStarts) {
  PerfCounters counters(kPageFaults);
  if (!counters.why_not().empty()) GTEST_SKIP() << counters.why_not();
  touch_pages();
  counters.start();
  touch_pages();
  const double alone = counters.stop().at(0);
  EXPECT_GE(alone, kPages);
  EXPECT_LT(alone, 2 * kPages) << "what was before start() does not count";
  counters.start();
  std::thread(touch_pages).join();
  touch_pages();
  EXPECT_GE(counters.stop().at(0), 2 * kPages);
}

TEST(PerfCountersTest, TheProcessorIsCountedOrTheReasonIsGiven) {
  PerfCounters counters(processor_events());
  if (!counters.why_not().empty()) {
    EXPECT_THAT(counters.why_not(), ::testing::AnyOf(HasSubstr("does not count them"), HasSubstr("is refused")));
    EXPECT_THROW(counters.start(), InternalError);
    return;
  }
  counters.start();
  touch_pages();
  const std::vector<double> counts = counters.stop();
  ASSERT_EQ(counts.size(), 3);
  EXPECT_GT(counts[0], 0);
  EXPECT_GT(counts[1], kPages);
}

TEST(PerfCountersTest, AnEventThatDoesNotExistIsRefused) {
  EXPECT_NE(PerfCounters({{PERF_TYPE_HARDWARE, 9999}}).why_not(), "");
}

}  // namespace
}  // namespace nestwright
