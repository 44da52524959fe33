#include "support/os/resident_size.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace nestwright {
namespace {

TEST(ResidentSize, CountsWhatIsTouchedAndNotWhatIsReserved) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const ResidentSize own(getpid());
  const std::int64_t before = own.bytes().value();
  void* block = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  EXPECT_LT(own.bytes().value() - before, std::int64_t{8} << 20);
  std::memset(block, 1, kBytes);
  EXPECT_GE(own.bytes().value() - before, std::int64_t{60} << 20);
  munmap(block, kBytes);
}

TEST(ResidentSize, HasNothingToSayOfAProcessThatIsNotThere) { EXPECT_FALSE(ResidentSize(-1).bytes()); }

}  // namespace
}  // namespace nestwright
