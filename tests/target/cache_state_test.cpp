#include "nestwright/target.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"

namespace nestwright {
namespace {

TEST(CacheState, NamesComeBack) {
  EXPECT_THAT(cache_state_names(), ::testing::ElementsAre("warm", "cold", "stream"));
  for (const CacheState state : {CacheState::kWarm, CacheState::kCold, CacheState::kStream}) {
    EXPECT_EQ(parse_cache_state(cache_state_name(state)), state);
  }
  EXPECT_THAT([] { parse_cache_state("hot"); },
              ::testing::ThrowsMessage<UsageError>("there are no caches 'hot': use warm, cold, stream"));
}

}  // namespace
}  // namespace nestwright
