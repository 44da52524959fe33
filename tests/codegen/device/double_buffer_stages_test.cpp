// Slices in several stages in CUDA sources: the copies in flight while a slice is multiplied, on emulated warps and
// through NVRTC, and mistakes in the source that change the result.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codegen/backend.h"
#include "nestwright/lower.h"
#include "tests/codegen/device/products.h"
#include "tests/codegen/device/warp_emulation.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kDepth = 192;  // 6 slices of fragments
constexpr WarpProduct kFragments{kFloat16, 64, 96, kDepth, false, false};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  EXPECT_THAT(text, HasSubstr(what));
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

TEST(StageText, FragmentsOnEmulatedWarps) {
  for (const std::int64_t stages : {3, 4}) {
    for (const ir::Type type : {kFloat16, kFloat32, kInt8}) {
      const bool tb = type != kFloat16;
      const NamedProgram p = fragments(type, false, tb, kDepth, stages);
      const std::string source = cuda_source(p, "sm_80");
      EXPECT_THAT(source, HasSubstr(fmt::format("cp.async.wait_group {};", stages - 2)));
      EXPECT_THAT(source, HasSubstr("cp.async.commit_group;"));
      EXPECT_THAT(source, Not(HasSubstr("cp.async.wait_all;")));
      EXPECT_EQ(run_on_emulated_warps(p.program, source, {type, 64, 96, kDepth, false, tb}), "") << source;
    }
  }
}

TEST(StageText, WarpgroupsOnEmulatedWarps) {
  for (const std::int64_t stages : {3, 4}) {
    const NamedProgram p = warpgroups(kFloat16, false, false, 320, stages);
    const std::string source = cuda_source(p);
    EXPECT_THAT(source, HasSubstr(fmt::format("cp.async.wait_group {};", stages - 2)));
    EXPECT_EQ(run_on_emulated_warps(p.program, source, {kFloat16, 128, 96, 320, false, false}), "") << source;
  }
}

TEST(StageText, CompilesWithoutSpills) {
  for (const char* arch : {"sm_80", "sm_90"}) {
    Target target = device_target(DeviceKind::kCuda);
    target.arch = arch;
    for (const std::int64_t stages : {2, 3, 5}) {
      const NamedProgram p = fragments(kFloat16, false, false, kDepth, stages);
      const CompiledObject object =
          make_backend(DeviceKind::kCuda)->compile(expand(p.program, target, {}), target, {.keep_assembly = true});
      const std::string waits = stages == 2 ? "cp.async.wait_all;" : fmt::format("cp.async.wait_group {};", stages - 2);
      EXPECT_THAT(object.assembly, HasSubstr(waits));
      EXPECT_EQ(object.resources[0].spill_bytes, 0);
    }
  }
}

TEST(StageText, MistakesShowInTheResult) {
  const NamedProgram p = fragments(kFloat16, false, false, kDepth, 3);
  const std::string source = cuda_source(p, "sm_80");
  const auto result = [&](const std::string& text) { return run_on_emulated_warps(p.program, text, kFragments); };
  ASSERT_EQ(result(source), "");
  // The barrier waits for one group too few.
  EXPECT_THAT(result(replaced(source, "wait_group 1;", "wait_group 2;")), HasSubstr("C["));
  // Without groups no barrier waits for the copies.
  EXPECT_THAT(result(replaced(source, "cp.async.commit_group;", "")), HasSubstr("C["));
  // The slot that is filled, or the one that is read, is wrong.
  EXPECT_THAT(result(replaced(source, "k_outer + 2)%3", "k_outer + 1)%3")), HasSubstr("C["));
}

}  // namespace
}  // namespace nestwright::testing
