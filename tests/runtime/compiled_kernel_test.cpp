#include "runtime/compiled_kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "nestwright/error.h"

namespace nestwright {
namespace {

// A kernel in the form that a C compiler would produce: records the address of its workspace, and doubles one number.
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

TEST(Workspace, GrowsWithTheSymbols) {
  const ir::Var n("n"), m("m");
  const std::array<ir::Var, 2> symbols{n, m};
  const ir::Workspace space{64, 65, n * m, n};
  const auto bytes = [&](std::int64_t n_value, std::int64_t m_value) {
    const std::array<std::int64_t, 2> values{n_value, m_value};
    return workspace_bytes(space, 2, symbols, values);
  };
  EXPECT_EQ(bytes(0, 0), 64 + 2 * 128);
  EXPECT_EQ(bytes(64, 3), 64 + 192 + 2 * 192);
  const std::int64_t large = std::int64_t{1} << 62;
  EXPECT_THROW(bytes(large, 0), UsageError);
  EXPECT_THROW(bytes(large, large), UsageError);
}

TEST(CompiledKernel, KeepsAWorkspaceThatIsLargeEnough) {
  // Fills n bytes of its workspace, so that a sanitizer detects one that is too small.
  const auto fill = [](void* const* buffers, const std::int64_t* symbols, void* workspace,
                       const nestwright_parallel*) -> std::int32_t {
    *static_cast<void**>(buffers[0]) = workspace;
    std::memset(workspace, 1, static_cast<std::size_t>(symbols[0]));
    return 0;
  };
  const ir::Var n("n");
  const CompiledKernel kernel(fill, {0, 0, n, {}}, make_pool(PoolKind::kSerial, 1), nullptr, {n});
  const auto workspace_of = [&](std::int64_t bytes) {
    void* workspace = nullptr;
    void* const buffers[] = {&workspace};
    const std::array<std::int64_t, 1> symbols{bytes};
    EXPECT_EQ(kernel.call(buffers, symbols), 0);
    return workspace;
  };
  void* const large = workspace_of(1 << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large) % 64, 0u);
  EXPECT_EQ(workspace_of(100), large);
  EXPECT_EQ(workspace_of(1 << 20), large);
  workspace_of(1 << 22);
  const std::array<std::int64_t, 1> absurd{std::int64_t{1} << 60};
  void* const none[] = {nullptr};
  try {
    kernel.call(none, absurd);
    FAIL() << "there was memory";
  } catch (const UsageError& e) {
    EXPECT_STREQ(
        e.what(),
        "the kernel's workspace of 1152921504606846976 bytes does not fit into memory: use smaller extents, or "
        "compute stages at inner loops");
  }
  workspace_of(100);
}

}  // namespace
}  // namespace nestwright
