#include "runtime/kernel.h"

#include <gtest/gtest.h>

#include <array>

namespace nestwright {
namespace {

// A kernel as a C compiler would make it: notes where its workspace is, and doubles one number.
std::int32_t doubling(void* const* buffers, const std::int64_t* symbols, void* workspace,
                      const nestwright_parallel* parallel) {
  *static_cast<void**>(buffers[1]) = workspace;
  *static_cast<int*>(buffers[0]) *= 2;
  return static_cast<std::int32_t>(symbols[0]) + parallel->threads;
}

TEST(CompiledKernel, HandsOverBuffersSymbolsWorkspaceAndPool) {
  const CompiledKernel kernel(doubling, {.shared_bytes = 100, .per_thread_bytes = 10}, make_pool(PoolKind::kSpin, 2),
                              nullptr);
  int value = 21;
  void* workspace = nullptr;
  const std::array<void*, 2> buffers{&value, &workspace};
  const std::array<std::int64_t, 1> symbols{40};
  EXPECT_EQ(kernel.call(buffers, symbols), 42);
  EXPECT_EQ(value, 42);
  ASSERT_NE(workspace, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(workspace) % 64, 0u);
}

TEST(CompiledKernel, KeepsItsOwnerAlive) {
  auto owner = std::make_shared<int>(1);
  {
    const CompiledKernel kernel(doubling, {}, make_pool(PoolKind::kSerial, 1), owner);
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(Workspace, RoundsEachPartUpToACacheLine) {
  EXPECT_EQ(workspace_bytes({}, 4), 0);
  EXPECT_EQ(workspace_bytes({.shared_bytes = 1, .per_thread_bytes = 65}, 3), 64 + 3 * 128);
}

}  // namespace
}  // namespace nestwright
