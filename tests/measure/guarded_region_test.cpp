#include "measure/process/guarded_region.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using Fault = GuardedRegion::Fault;

TEST(GuardedRegion, PlacesBuffersRightAtTheGuards) {
  for (const std::int64_t bytes : {1, 4, 63, 64, 65, 4000, 4096, 4100, 1 << 20}) {
    const GuardedRegion region = GuardedRegion::writable(bytes);
    const char* start = static_cast<char*>(region.buffer(Placement::kAtStart));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % 64, 0u);
    EXPECT_EQ(region.classify(start - 1), Fault::kBeforeStart);
    const char* end = static_cast<char*>(region.buffer(Placement::kAtEnd)) + bytes;
    EXPECT_EQ(region.classify(end), Fault::kPastEnd) << bytes;
    EXPECT_EQ(region.classify(end - 1), Fault::kInside) << bytes;
  }
}

TEST(GuardedRegion, GuardsAreAsLargeAsTheBuffer) {
  const std::int64_t bytes = 5 << 20;
  const GuardedRegion region = GuardedRegion::writable(bytes);
  const char* start = static_cast<char*>(region.buffer(Placement::kAtStart));
  EXPECT_EQ(region.classify(start - bytes), Fault::kBeforeStart);
  EXPECT_EQ(region.classify(start + 2 * bytes - 1), Fault::kPastEnd);
  EXPECT_EQ(region.classify(start + 2 * bytes), Fault::kElsewhere);
}

TEST(GuardedRegion, TheCanaryShowsWritesIntoTheGaps) {
  GuardedRegion region = GuardedRegion::writable(1001);
  for (const Placement placement : {Placement::kAtEnd, Placement::kAtStart}) {
    char* buffer = static_cast<char*>(region.buffer(placement));
    char* gap = placement == Placement::kAtEnd ? buffer - 1 : buffer + 1001;
    region.poison();
    std::memset(buffer, 1, 1001);
    EXPECT_TRUE(region.gaps_intact(placement)) << "the buffer itself is no gap";
    *gap = 0;
    EXPECT_FALSE(region.gaps_intact(placement));
    region.poison();
    EXPECT_TRUE(region.gaps_intact(placement));
  }
}

TEST(GuardedRegion, PartsOfItArePoisonedAsTheWhole) {
  GuardedRegion region = GuardedRegion::writable(10001);
  char* const buffer = static_cast<char*>(region.buffer(Placement::kAtStart));
  std::memset(buffer, 1, 10001);
  for (const std::int64_t part : {2, 0}) region.poison(part, 3);
  EXPECT_EQ(buffer[0], '\xff');
  EXPECT_EQ(buffer[5000], 1) << "the second part was left out";
  region.poison(1, 3);
  EXPECT_TRUE(std::all_of(buffer, buffer + 10001, [](char c) { return c == '\xff'; }));
  EXPECT_TRUE(region.gaps_intact(Placement::kAtStart));
}

TEST(GuardedRegion, ThePoisonIsNotANumber) {
  GuardedRegion region = GuardedRegion::writable(8);
  region.poison();
  double d = 0;
  float f = 0;
  std::memcpy(&d, region.buffer(Placement::kAtStart), sizeof d);
  std::memcpy(&f, region.buffer(Placement::kAtStart), sizeof f);
  EXPECT_NE(d, d);
  EXPECT_NE(f, f);
}

TEST(GuardedRegion, SaysThatThereIsNoMemory) { EXPECT_THROW(GuardedRegion::writable(std::int64_t{1} << 50), Error); }

using GuardedRegionDeathTest = ::testing::Test;

TEST(GuardedRegionDeathTest, TheGuardsFault) {
  const GuardedRegion region = GuardedRegion::writable(4096);
  volatile char* start = static_cast<char*>(region.buffer(Placement::kAtStart));
  EXPECT_EXIT(start[-1] = 1, ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(start[4096] = 1, ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace nestwright
